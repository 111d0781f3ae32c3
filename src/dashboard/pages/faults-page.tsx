import type { ComponentChildren } from 'preact'
import type { ControlFault } from '../../emulator/control/schemas/faults.js'
import { isAdded } from '../data/added-fault.js'
import { call } from '../data/control.js'
import { yamlText } from '../data/yaml-text.js'
import { useRecords, useReload, type Listing } from '../kit/records.js'
import { countColumn } from '../kit/table.js'
import { Value } from '../kit/value.js'
import { ActionButton } from '../parts/action-button.js'
import { CopyText } from '../parts/copy-button.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { State } from '../parts/state.js'
import { counted } from '../parts/amounts.js'
import { Moment } from '../parts/facts.js'
import { FaultForm } from './fault-form.js'

/** The faults of the world: those that were added, and those of the scenario. */
export const FAULTS: Listing<ControlFault> = {
  title: 'Faults',
  thing: 'fault',
  useRows: () =>
    useRecords(
      async () => (await call('GET /faults')).faults.toSorted(addedFirst),
      ['request', 'note'],
    ),
  keyOf: ({ id }) => id,
  columns: [
    ['Fault', 'w-fault', faultName, { sort: faultName }],
    ['State', 'w-state', (fault) => <State of={stateOf(fault)} />, { sort: stateOf }],
    ['What it does', 'w-grow', whatOf, { wide: true }],
    countColumn('Acted', ({ hits }) => hits, { wide: true }),
    ['Change', 'w-acts', (fault) => <FaultActions of={fault} />],
  ],
  details: {
    idOf: ({ id }) => `fault-${id}`,
    show: (fault) => <Details of={fault} />,
  },
  facets: [
    {
      name: 'from',
      label: 'From',
      answerOf: (fault) => (isAdded(fault) ? 'added' : 'scenario'),
      values: ['added', 'scenario'],
    },
  ],
  find: 'Name, kind or what it matches',
  Above: QuickActs,
  Below: FaultForm,
  Empty: () => (
    <p>No faults. Every call is answered as usual. Choose a preset below to make calls fail.</p>
  ),
}

function addedFirst(one: ControlFault, other: ControlFault): number {
  return Number(isAdded(other)) - Number(isAdded(one))
}

function faultName({ name, id }: ControlFault): string {
  return name ?? id
}

function stateOf({ open, calls_left }: ControlFault): string {
  if (!open) return 'closed'
  return calls_left === 0 ? 'used up' : 'open'
}

function QuickActs(): ComponentChildren {
  const reload = useReload()
  const closeAll = async (): Promise<void> => {
    const { faults } = await call('GET /faults')
    for (const { id } of faults.filter(({ open }) => open)) {
      await call('POST /faults/{fault_id}/close', { params: { fault_id: id } })
    }
  }
  return (
    <section class="actions" aria-label="Quick acts">
      <NextJobFails changed={reload} />
      <div class="line">
        <ActionButton act={closeAll} done={reload}>
          Close all
        </ActionButton>
        <ActionButton act={() => call('DELETE /faults')} done={reload}>
          Remove all that were added
        </ActionButton>
        <span class="faint">A closed fault stays in the list and has no effect.</span>
      </div>
    </section>
  )
}

function FaultActions({ of: fault }: { of: ControlFault }): ComponentChildren {
  const reload = useReload()
  const params = { fault_id: fault.id }
  const acts = {
    ...(fault.open
      ? { Close: () => call('POST /faults/{fault_id}/close', { params }) }
      : { Open: () => call('POST /faults/{fault_id}/open', { params }) }),
    ...(isAdded(fault) && { Remove: () => call('DELETE /faults/{fault_id}', { params }) }),
  }
  return Object.entries(acts).map(([label, act], at) => (
    // The button that changes its word keeps the focus.
    <ActionButton
      key={at}
      {...(label === 'Remove' && { class: 'danger' })}
      aria-label={`${label} ${faultName(fault)}`}
      act={act}
      done={reload}
    >
      {label}
    </ActionButton>
  ))
}

/** All of a fault: what it does, until when it can, on which requests it acted, and its text. */
function Details({ of: fault }: { of: ControlFault }): ComponentChildren {
  const { rule, hits, since, calls_left, ends_at, requests } = fault
  const yaml = `faults:\n${yamlText([ruleOf(rule)], '  ')}`
  return (
    <>
      {typeof rule['description'] === 'string' && <p>{rule['description']}</p>}
      <p>
        <code>{whatOf(fault)}</code>
      </p>
      <p class="faint">
        Acted {counted(hits, 'time')},{' '}
        {calls_left !== null && `${counted(calls_left, 'call')} left, `}
        since <Moment at={since} />
        {ends_at !== null && (
          <>
            , until <Moment at={ends_at} />
          </>
        )}
        {requests.length > 0 && (
          <>
            , on request <Value name="requests" of={requests} />
          </>
        )}
      </p>
      <CopyText title="As YAML" text={yaml} what={`${faultName(fault)} as scenario YAML`} />
    </>
  )
}

/** What says nothing, because it is usual. */
const USUAL: Readonly<Record<string, unknown>> = { per: 'all', open: true, stage: 'before' }

/** A rule as a user would write it. */
function ruleOf(rule: ControlFault['rule']): Readonly<Record<string, unknown>> {
  const isUsual = ([name, value]: [string, unknown]): boolean =>
    value === USUAL[name] || JSON.stringify(value) === '{}'
  return Object.fromEntries(Object.entries(rule).filter((each) => !isUsual(each)))
}

/** What a fault does, and what it applies to, in words: `status 429 on every call, calls to 2`. */
function whatOf({ rule }: ControlFault): string {
  const { fault, name: _name, description: _note, match, ...others } = ruleOf(rule)
  const { calls, during, probability, per, open: _open, ...own } = others
  const effect = Object.entries(own).map(([key, value]) =>
    key === fault ? inline(value) : `${key} ${inline(value)}`,
  )
  const limits = Object.entries({ calls, per, during, probability })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${inline(value)}`)
  const target = match === undefined ? 'every call' : inline(match)
  const does = [String(fault), effect.join(', ')].join(' ').trim()
  return [`${does} on ${target}`, ...limits].join(', ')
}

function inline(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value)
      .map(([name, part]) => `${name} ${inline(part)}`)
      .join(' ')
  }
  return JSON.stringify(value).replaceAll('"', '')
}

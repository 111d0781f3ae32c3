import type { ComponentChildren } from 'preact'
import type { ControlFault } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useLoaded } from '../data/use-loaded.js'
import { useScenarioSchema } from '../data/use-schema.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { yamlText } from '../data/yaml-text.js'
import { CopyButton } from '../parts/copy-button.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { Loaded, Page } from '../parts/page.js'
import { ActionButton } from '../parts/action-button.js'
import { Badge, counted, Moment } from '../parts/wording.js'
import { hrefOf } from '../routes.js'
import { commonFields, FaultForm, faultKinds } from './fault-form.js'

export function FaultsPage(): ComponentChildren {
  const list = useLoaded(() => call('GET /faults'))
  const schema = useScenarioSchema()
  useReloadOn(['request', 'note'], list.reload)
  const faults = list.value?.faults ?? []
  const open = faults.filter((fault) => fault.open)
  const [added, scripted] = [faults.filter(isAdded), faults.filter((fault) => !isAdded(fault))]
  const kinds = schema.value && faultKinds(schema.value)
  const closeAll = async (): Promise<void> => {
    for (const { id } of open) {
      await call('POST /faults/{fault_id}/close', { params: { fault_id: id } })
    }
  }
  return (
    <Page title="Faults" error={list.error}>
      <section class="actions" aria-label="Quick acts">
        <NextJobFails changed={list.reload} />
        <div class="line">
          <ActionButton disabled={open.length === 0} act={closeAll} done={list.reload}>
            Close all
          </ActionButton>
          <ActionButton
            disabled={added.length === 0}
            act={() => call('DELETE /faults')}
            done={list.reload}
          >
            Remove all that were added
          </ActionButton>
          <span class="faint">A closed fault stays in the list and has no effect.</span>
        </div>
      </section>
      {list.value && faults.length === 0 && (
        <p class="empty">
          No faults. Every call is answered as usual. Choose a preset below to make calls fail.
        </p>
      )}
      <FaultList title="Added" of={added} kinds={kinds} reload={list.reload} />
      <FaultList title="From the scenario" of={scripted} kinds={kinds} reload={list.reload} />
      <Loaded of={{ value: kinds, error: schema.error }} what="form">
        {(loaded) => <FaultForm kinds={loaded} added={list.reload} />}
      </Loaded>
    </Page>
  )
}

function isAdded({ id }: ControlFault): boolean {
  return id.startsWith('added-')
}

interface FaultListProps {
  title: string
  of: readonly ControlFault[]
  kinds: ReadonlyMap<string, JsonSchema> | undefined
  reload: () => void
}

function FaultList({ title, of, ...shared }: FaultListProps): ComponentChildren {
  if (of.length === 0) return null
  return (
    <section class="faults" aria-label={title}>
      <h2>
        {title} <span class="count">{of.length}</span>
      </h2>
      <ul>
        {of.map((fault) => (
          <Fault key={fault.id} fault={fault} {...shared} />
        ))}
      </ul>
    </section>
  )
}

interface FaultProps extends Omit<FaultListProps, 'title' | 'of'> {
  fault: ControlFault
}

function Fault({ fault, kinds, reload }: FaultProps): ComponentChildren {
  const { id, rule } = fault
  const name = fault.name ?? id
  const kind = kinds?.get(fault.fault)
  const { effect, target } = wordsFor(rule, kind, kinds)
  const yaml = `faults:\n${yamlText([withoutDefaults(rule, kind)], '  ')}`
  return (
    <li aria-label={name}>
      <div class="line">
        <b>{name}</b>
        <State of={fault} />
        <FaultActions of={fault} name={name} reload={reload} />
      </div>
      {typeof rule['description'] === 'string' && <p>{rule['description']}</p>}
      <p>
        <code>{fault.fault}</code> {effect && <code>{effect}</code>} on {target}
      </p>
      <Hits of={fault} />
      <details>
        <summary>As YAML</summary>
        <pre>{yaml}</pre>
        <CopyButton text={yaml} what={`${name} as scenario YAML`} />
      </details>
    </li>
  )
}

interface FaultActionsProps {
  of: ControlFault
  name: string
  reload: () => void
}

function FaultActions({ of: fault, name, reload }: FaultActionsProps): ComponentChildren {
  const params = { fault_id: fault.id }
  const acts = {
    ...(fault.open
      ? { Close: () => call('POST /faults/{fault_id}/close', { params }) }
      : { Open: () => call('POST /faults/{fault_id}/open', { params }) }),
    ...(isAdded(fault) && { Remove: () => call('DELETE /faults/{fault_id}', { params }) }),
  }
  return (
    <span class="end line">
      {Object.entries(acts).map(([label, act], at) => (
        // The button that changes its word keeps the focus.
        <ActionButton
          key={at}
          {...(label === 'Remove' && { class: 'danger' })}
          act={act}
          done={reload}
        >
          {label}
          <span class="hidden-label"> {name}</span>
        </ActionButton>
      ))}
    </span>
  )
}

/** How often a fault acted, until when it can, and on which requests. */
function Hits({ of: fault }: { of: ControlFault }): ComponentChildren {
  const { hits, since, calls_left, ends_at, requests } = fault
  return (
    <p class="faint">
      Acted {counted(hits, 'time')}
      {calls_left !== null && `, ${counted(calls_left, 'call')} left`}
      {', since '}
      <Moment at={since} />
      {ends_at !== null && (
        <>
          {', until '}
          <Moment at={ends_at} />
        </>
      )}
      {requests.length > 0 && ', on request '}
      {requests.map((request, index) => (
        <>
          {index > 0 && ', '}
          <a key={request} class="inline" href={hrefOf({ page: 'request', id: String(request) })}>
            {request}
          </a>
        </>
      ))}
    </p>
  )
}

function State({ of: { open, calls_left } }: { of: ControlFault }): ComponentChildren {
  if (!open) return <Badge tone="idle">closed</Badge>
  if (calls_left === 0) return <Badge tone="idle">used up</Badge>
  return <Badge tone="warn">open</Badge>
}

/** What a fault does and what it applies to, in words. The schema says which of its fields are its own. */
function wordsFor(
  rule: ControlFault['rule'],
  kind: JsonSchema | undefined,
  kinds: ReadonlyMap<string, JsonSchema> | undefined,
): { effect: string; target: string } {
  const common = kinds ? commonFields(kinds) : new Set<string>()
  const fields = Object.entries(withoutDefaults(rule, kind))
  const own = fields.filter(([name]) => name !== 'fault' && !common.has(name))
  const { match, calls, during, probability } = rule
  const target = Object.entries(match ?? {}).map(([name, value]) => `${name} ${inline(value)}`)
  const limits = { calls, during, probability }
  const limited = Object.entries(limits).flatMap(([name, value]) => {
    return value === undefined ? [] : `${name} ${inline(value)}`
  })
  return {
    effect: own
      .map(([name, value]) => (name === rule['fault'] ? inline(value) : `${name} ${inline(value)}`))
      .join(', '),
    target: [target.join(', ') || 'every call', ...limited].join(', '),
  }
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

/** A rule as a user would write it. */
function withoutDefaults(
  rule: ControlFault['rule'],
  kind: JsonSchema | undefined,
): Readonly<Record<string, unknown>> {
  const isUsual = (name: string, value: unknown): boolean => {
    return JSON.stringify(kind?.properties?.[name]?.default) === JSON.stringify(value)
  }
  return Object.fromEntries(Object.entries(rule).filter(([name, value]) => !isUsual(name, value)))
}

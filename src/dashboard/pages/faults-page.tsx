import type { ComponentChildren } from 'preact'
import type { ControlFault } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import type { JsonSchema } from '../data/json-schema.js'
import { useLoaded } from '../data/use-loaded.js'
import { useScenarioSchema } from '../data/use-schema.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { yamlText } from '../data/yaml-text.js'
import { CopyButton } from '../parts/copy-button.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { Loaded, Page } from '../parts/page.js'
import { useAction, type Action } from '../parts/use-action.js'
import { Badge, counted, Moment } from '../parts/wording.js'
import { hrefOf } from '../routes.js'
import { commonFields, FaultForm, faultKinds } from './fault-form.js'

export function FaultsPage(): ComponentChildren {
  const list = useLoaded(() => call('GET /faults'))
  const schema = useScenarioSchema()
  useReloadOn(['request', 'note'], list.reload)
  const action = useAction()
  const faults = list.value?.faults ?? []
  const open = faults.filter((fault) => fault.open)
  const added = faults.filter(({ id }) => id.startsWith('added-'))
  const scripted = faults.filter(({ id }) => !id.startsWith('added-'))
  const kinds = schema.value && faultKinds(schema.value)
  const act = (doing: () => Promise<unknown>): void => {
    action.run(async () => {
      await doing()
      list.reload()
    })
  }
  const closeAll = (): void => {
    act(async () => {
      for (const { id } of open) {
        await call('POST /faults/{fault_id}/close', { params: { fault_id: id } })
      }
    })
  }
  const shown = { kinds, act, busy: action.busy }
  return (
    <Page title="Faults" error={action.problem ?? list.error}>
      <section class="actions" aria-label="Quick acts">
        <NextJobFails changed={list.reload} />
        <div class="line">
          <button disabled={action.busy || open.length === 0} onClick={closeAll}>
            Close all
          </button>
          <button
            disabled={action.busy || added.length === 0}
            onClick={() => act(() => call('DELETE /faults'))}
          >
            Remove all that were added
          </button>
          <span class="faint">A closed fault stays in the list and has no effect.</span>
        </div>
      </section>
      {list.value && faults.length === 0 && (
        <p class="empty">
          No faults. Every call is answered as usual. Choose a preset below to make calls fail.
        </p>
      )}
      <FaultList title="Added" of={added} {...shown} />
      <FaultList title="From the scenario" of={scripted} {...shown} />
      <Loaded of={{ value: kinds, error: schema.error }} what="form">
        {(loaded) => <FaultForm kinds={loaded} added={list.reload} />}
      </Loaded>
    </Page>
  )
}

interface FaultListProps {
  title: string
  of: readonly ControlFault[]
  kinds: ReadonlyMap<string, JsonSchema> | undefined
  busy: Action['busy']
  act: (doing: () => Promise<unknown>) => void
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

function Fault({ fault, kinds, act, busy }: FaultProps): ComponentChildren {
  const { id, open, hits, since, calls_left, ends_at, requests, rule } = fault
  const name = fault.name ?? id
  const params = { fault_id: id }
  const kind = kinds?.get(fault.fault)
  const { effect, target } = wordsFor(rule, kind, kinds)
  const yaml = `faults:\n${yamlText([withoutDefaults(rule, kind)], '  ')}`
  return (
    <li aria-label={name}>
      <div class="line">
        <b>{name}</b>
        <State of={fault} />
        <span class="end line">
          {open ? (
            <button
              disabled={busy}
              onClick={() => act(() => call('POST /faults/{fault_id}/close', { params }))}
            >
              Close<span class="hidden-label"> {name}</span>
            </button>
          ) : (
            <button
              disabled={busy}
              onClick={() => act(() => call('POST /faults/{fault_id}/open', { params }))}
            >
              Open<span class="hidden-label"> {name}</span>
            </button>
          )}
          {id.startsWith('added-') && (
            <button
              class="danger"
              disabled={busy}
              onClick={() => act(() => call('DELETE /faults/{fault_id}', { params }))}
            >
              Remove<span class="hidden-label"> {name}</span>
            </button>
          )}
        </span>
      </div>
      {typeof rule['description'] === 'string' && <p>{rule['description']}</p>}
      <p>
        <code>{fault.fault}</code> {effect && <code>{effect}</code>} on {target}
      </p>
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
      <details>
        <summary>As YAML</summary>
        <pre>{yaml}</pre>
        <CopyButton text={yaml} what={`${name} as scenario YAML`} />
      </details>
    </li>
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

import type { ComponentChildren } from 'preact'
import type { RequestEntry } from '../../emulator/control/schemas/journal.js'
import { linkTo } from './link.js'
import type { Column, RowDetails } from '../kit/table.js'
import { column } from '../kit/value.js'
import { figure, lasting } from './amounts.js'

export const REQUEST_COLUMNS: readonly Column<RequestEntry>[] = [
  ['No.', 'w-request', ({ id }) => figure(id), { sort: ({ id }) => id }],
  column('at', { wide: true }),
  ['Method', 'w-short mono', ({ method }) => method, { sort: true }],
  ['Path', 'w-grow mono', pathText, { sort: ({ path }) => path }],
  ['Operation', 'w-operation', operationText, { sort: (of) => of.operation, wide: true }],
  ['Status', 'w-status', (entry) => <Status of={entry} />, { sort: ({ status }) => status }],
  ['Result', 'w-grow', resultOf, { sort: true, wide: true }],
  column('took', { wide: true }),
]

/** The reason and the effects of a request. */
export const REQUEST_DETAILS: RowDetails<RequestEntry> = {
  idOf: ({ id }) => `request-${id}`,
  show: (entry) => <Consequences of={entry} />,
}

function pathText({ path, query }: RequestEntry): ComponentChildren {
  const [, prefix = '', rest = path] = /^(\/v1\/preview)(\/.*)$/s.exec(path) ?? []
  return (
    <>
      {prefix !== '' && <span class="prefix">{prefix}</span>}
      {rest}
      {query && <span class="faint">?{query}</span>}
    </>
  )
}

function operationText({ operation }: RequestEntry): ComponentChildren {
  return operation ?? <span class="faint">none</span>
}

/** Why a request was refused or lost. Undefined if it succeeded. */
export function reasonOf({ status = 0, lost, detail, effects }: RequestEntry): string | undefined {
  if (lost === undefined && status < 400) return undefined
  // A fault says what it does before the work begins. Further effects are what was done although the answer was lost.
  const reasons = [detail, effects[0]].filter((each) => each !== undefined)
  if (reasons.length > 0) return reasons.join('; ')
  return lost === undefined ? `Status ${status}` : lostText({ status, lost })
}

/** What the client got instead of an answer. */
export function lostText({ status = 0, lost }: Pick<RequestEntry, 'status' | 'lost'>): string {
  const part = status === 0 ? 'without an answer' : 'after a part of the answer'
  return lost === 'hang'
    ? `The emulator went silent ${part}, and left the connection open.`
    : `The emulator closed the connection ${part}.`
}

/** The reason of a refusal, or the first effect, and what the client may have meant. */
function resultOf(entry: RequestEntry): string | undefined {
  const parts = [reasonOf(entry) ?? entry.effects[0], entry.hint]
  return parts.filter((part) => part !== undefined).join('; ') || undefined
}

function Consequences({ of: entry }: { of: RequestEntry }): ComponentChildren {
  const { id, host, method, path, query, operation, at, took, hint, effects, cause } = entry
  const reason = reasonOf(entry)
  return (
    <>
      {reason !== undefined && (
        <p class="problem note">
          <Status of={entry} /> {reason}
        </p>
      )}
      {hint !== undefined && <p>{hint}</p>}
      {effects.map((effect) => (
        <p key={effect}>→ {effect}</p>
      ))}
      <p class="mono">
        {host} {method} {path}
        {query && `?${query}`}
      </p>
      <p class="faint">
        {operation ?? 'no operation'}, at {at}
        {took !== undefined && `, took ${lasting(took)}`}
        {typeof cause === 'number' && `, caused by entry ${cause}`}
      </p>
      <p>
        {linkTo(
          { page: 'request', id: String(id) },
          `Request ${figure(id)}: why, headers, bodies, cURL`,
        )}
      </p>
    </>
  )
}

export function Status({
  of: { status = 0, lost },
}: {
  of: Pick<RequestEntry, 'status' | 'lost'>
}): ComponentChildren {
  const text = lost === 'hang' ? 'hangs' : 'dropped'
  if (lost !== undefined && status === 0) return <b class="bad">{text}</b>
  const half = lost === 'hang' ? text : 'stopped'
  if (lost !== undefined) return <b class="bad">{`${status}, ${half} half-way`}</b>
  if (status >= 500) return <b class="bad">{status}</b>
  return status >= 400 ? <b class="warn">{status}</b> : <span class="good">{status || ''}</span>
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi

/** The reason without ids, so that the same mistake with other ids counts as the same. */
export function groupOf(entry: RequestEntry): string | undefined {
  const reason = reasonOf(entry)
  if (reason === undefined) return undefined
  const status = entry.lost === undefined ? entry.status : 'lost'
  return `${status} ${reason.replaceAll(UUID, '…')}`
}

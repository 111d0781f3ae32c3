import type { ComponentChildren } from 'preact'
import type { RequestEntry } from '../../control/schemas.js'
import { DetailRow } from './detail-row.js'
import type { Column } from './live-table.js'
import { milliseconds } from './wording.js'

export const REQUEST_COLUMNS: readonly Column<RequestEntry>[] = [
  ['No.', 'w-index', { sort: ({ id }) => id }],
  ['At', 'w-time', { sort: ({ at }) => at, wide: true }],
  ['Method', 'w-short', { sort: ({ method }) => method }],
  ['Path', 'w-grow', { sort: ({ path }) => path }],
  ['Operation', 'w-event', { sort: ({ operation }) => operation, wide: true }],
  ['Status', 'w-status', { sort: ({ status }) => status }],
  ['Took', 'w-took', { sort: ({ took }) => took, wide: true }],
]

export function requestRow(entry: RequestEntry): ComponentChildren {
  return <RequestRow key={entry.id} entry={entry} />
}

/** A request as a row. When it is open, its effects appear below. */
function RequestRow({ entry }: { entry: RequestEntry }): ComponentChildren {
  const { id, at, method, path, query, operation, took } = entry
  return (
    <DetailRow id={id} kind="request" at={at} cells={5} detail={() => <Consequences of={entry} />}>
      <td class="mono">{method}</td>
      <td class="mono clipped">
        {path}
        {query && <span class="faint">?{query}</span>}
      </td>
      <td class="clipped">{operation ?? <span class="faint">none</span>}</td>
      <td>
        <Status of={entry} />
      </td>
      <td class="number">{took === undefined ? '' : milliseconds(took)}</td>
    </DetailRow>
  )
}

function Consequences({ of: entry }: { of: RequestEntry }): ComponentChildren {
  const { host, method, path, query, detail, hint, effects, cause } = entry
  return (
    <>
      <p class="mono">
        {host} {method} {path}
        {query && `?${query}`}
      </p>
      {detail !== undefined && <p>{detail}</p>}
      {hint !== undefined && <p>{hint}</p>}
      {effects.map((effect) => (
        <p key={effect}>→ {effect}</p>
      ))}
      {typeof cause === 'number' && <p>Caused by entry {cause}.</p>}
    </>
  )
}

function Status({ of: { status = 0, lost } }: { of: RequestEntry }): ComponentChildren {
  if (lost !== undefined && status !== 0) return <b class="bad">{status}, stopped half-way</b>
  if (lost !== undefined) return <b class="bad">{lost === 'hang' ? 'no answer' : 'dropped'}</b>
  if (status >= 500) return <b class="bad">{status}</b>
  return status >= 400 ? <b class="warn">{status}</b> : <span class="good">{status || ''}</span>
}

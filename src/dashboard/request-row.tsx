import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RequestEntry } from './control-shapes.js'
import { milliseconds, Moment } from './wording.js'

export const REQUEST_COLUMNS = [
  ['No.', 'w-index'],
  ['At', 'w-time'],
  ['Method', 'w-short'],
  ['Path', 'w-grow'],
  ['Operation', 'w-event'],
  ['Status', 'w-short'],
  ['Took', 'w-took'],
] as const

export function requestRow(entry: RequestEntry): ComponentChildren {
  return <RequestRow key={entry.id} entry={entry} />
}

/** A request in a line; below it, when opened, what it led to. */
function RequestRow({ entry }: { entry: RequestEntry }): ComponentChildren {
  const [open, setOpen] = useState(false)
  const { id, at, method, path, query, operation, took, host } = entry
  return (
    <>
      <tr>
        <td class="number">
          <button class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
            {id}
          </button>
        </td>
        <td class="mono">
          <Moment at={at} />
        </td>
        <td class="mono">{method}</td>
        <td class="mono clipped" title={`${path}${query && `?${query}`}`}>
          {path}
          {query && <span class="faint">?{query}</span>}
        </td>
        <td class="clipped">{operation ?? <span class="faint">none</span>}</td>
        <td>
          <Status of={entry} />
        </td>
        <td class="number">{took === undefined ? '' : milliseconds(took)}</td>
      </tr>
      {open && (
        <tr class="detail">
          <td />
          <td colSpan={6}>
            <p class="mono">
              {host} {method} {path}
              {query && `?${query}`}
            </p>
            {entry.hint !== undefined && <p>{entry.hint}</p>}
            {entry.effects?.map((effect) => (
              <p key={effect}>→ {effect}</p>
            ))}
            {typeof entry.cause === 'number' && <p>Caused by entry {entry.cause}.</p>}
          </td>
        </tr>
      )}
    </>
  )
}

function Status({ of: { status = 0, lost } }: { of: RequestEntry }): ComponentChildren {
  if (lost !== undefined) return <b class="bad">{lost === 'hang' ? 'no answer' : 'dropped'}</b>
  if (status >= 500) return <b class="bad">{status}</b>
  return status >= 400 ? <b class="warn">{status}</b> : <span class="good">{status || ''}</span>
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RequestEntry } from '../control/schemas.js'
import { isRequest } from './live.js'
import { LiveTable } from './live-table.js'
import { REQUEST_COLUMNS, requestRow } from './request-row.js'
import { useLive } from './use-live.js'
import { counted, figure } from './wording.js'

const OUTCOMES = {
  all: () => true,
  ok: ({ status = 0, lost }: RequestEntry) => !lost && status < 400,
  '4xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 400 && status < 500,
  '5xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 500,
  lost: ({ lost }: RequestEntry) => lost !== undefined,
}

function containing(text: string): (entry: RequestEntry) => boolean {
  const searched = text.toLowerCase()
  return ({ method, path, query, operation = '' }) =>
    `${method} ${path}?${query} ${operation}`.toLowerCase().includes(searched)
}

/** The latest requests of the journal. */
export function RequestsPage(): ComponentChildren {
  const requests = useLive((live) => live.entries).filter(isRequest)
  const skipped = useLive((live) => live.skipped)
  const [outcome, setOutcome] = useState<keyof typeof OUTCOMES>('all')
  const [text, setText] = useState('')
  const searched = text === '' ? requests : requests.filter(containing(text))
  return (
    <>
      <h1 tabIndex={-1}>Requests</h1>
      <LiveTable
        label="Requests"
        columns={REQUEST_COLUMNS}
        rows={searched.filter(OUTCOMES[outcome]).reverse()}
        keyOf={({ id }) => id}
        row={requestRow}
        view={`${outcome} ${text}`}
        empty={
          <p>
            {requests.length === 0
              ? 'No requests yet. Each call to the API appears here.'
              : `None of the last ${counted(requests.length, 'request')} matches.`}
          </p>
        }
      >
        <div class="choices" role="group" aria-label="Outcome">
          {(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map((each) => (
            <button key={each} aria-pressed={each === outcome} onClick={() => setOutcome(each)}>
              {each} <span class="count">{figure(searched.filter(OUTCOMES[each]).length)}</span>
            </button>
          ))}
        </div>
        <label>
          <span class="hidden-label">Filter</span>
          <input
            type="search"
            placeholder="Method, path or operation"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        {skipped > 0 && (
          <span class="faint">
            {counted(skipped, 'entry', 'entries')} skipped: too many at once
          </span>
        )}
      </LiveTable>
    </>
  )
}

import type { ComponentChildren } from 'preact'
import type { RequestEntry } from '../../control/schemas.js'
import { isRequest } from '../data/live.js'
import { LiveTable } from '../parts/live-table.js'
import { REQUEST_COLUMNS, requestRow } from '../parts/request-row.js'
import { useQuery } from '../routes.js'
import { readSnippets, Snippets } from '../parts/snippets.js'
import { useLive } from '../data/use-live.js'
import { counted, figure, matching } from '../parts/wording.js'

const OUTCOMES = {
  all: () => true,
  ok: ({ status = 0, lost }: RequestEntry) => !lost && status < 400,
  '4xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 400 && status < 500,
  '5xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 500,
  lost: ({ lost }: RequestEntry) => lost !== undefined,
}

function containing(text: string): (entry: RequestEntry) => boolean {
  return ({ method, path, query, operation, detail }) =>
    matching(text, `${method} ${path}?${query}`, operation, detail)
}

function isOutcome(written: string): written is keyof typeof OUTCOMES {
  return written in OUTCOMES
}

/** The latest requests of the journal. */
export function RequestsPage(): ComponentChildren {
  const requests = useLive((live) => live.entries).filter(isRequest)
  const skipped = useLive((live) => live.skipped)
  const [written, setOutcome] = useQuery('outcome', 'all')
  const outcome = isOutcome(written) ? written : 'all'
  const [text, setText] = useQuery('search')
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
          requests.length === 0 ? (
            <>
              <p>No requests yet. Each call to the API appears here. Make one:</p>
              <Snippets of={readSnippets} />
            </>
          ) : (
            <p>None of the last {counted(requests.length, 'request')} matches.</p>
          )
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
            placeholder="Method, path, operation or error"
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

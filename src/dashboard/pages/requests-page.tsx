import type { ComponentChildren } from 'preact'
import type { RequestEntry } from '../../emulator/control/schemas.js'
import { isRequest } from '../data/live.js'
import { LiveTable } from '../parts/live-table.js'
import { groupOf, ReasonList, REQUEST_COLUMNS, REQUEST_DETAILS } from '../parts/request-row.js'
import { Share } from '../parts/share.js'
import { useQuery } from '../routes.js'
import { readSnippets, Snippets } from '../parts/snippets.js'
import { useLive } from '../data/use-live.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { Choice, Choices } from '../parts/choice.js'
import { Page } from '../parts/page.js'
import { useTextFilter } from '../parts/text-filter.js'
import { counted, figure } from '../parts/wording.js'

const OUTCOMES = {
  all: () => true,
  ok: ({ status = 0, lost }: RequestEntry) => !lost && status < 400,
  '4xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 400 && status < 500,
  '5xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 500,
  lost: ({ lost }: RequestEntry) => lost !== undefined,
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const OUTCOME_NAMES = Object.keys(OUTCOMES).filter(isOutcome)

function isOutcome(written: string): written is keyof typeof OUTCOMES {
  return written in OUTCOMES
}

/** What the user filters by, besides a text. All of it is in the address. */
interface Filters {
  method: string
  operation: string
  reason: string
}

/** Requests that no operation answers have this name in the filter. */
const NO_OPERATION = 'none'

function selects({ method, operation, reason }: Filters): (entry: RequestEntry) => boolean {
  return (entry) => {
    if (method !== '' && entry.method !== method) return false
    if (operation !== '' && (entry.operation ?? NO_OPERATION) !== operation) return false
    return reason === '' || groupOf(entry) === reason
  }
}

function textsOf({ method, path, query, operation, detail, status, effects }: RequestEntry) {
  return [`${method} ${path}?${query}`, operation, detail, String(status), ...effects]
}

/** The latest requests of the journal. */
export function RequestsPage(): ComponentChildren {
  const requests = useLive((live) => live.entries).filter(isRequest)
  const skipped = useLive((live) => live.skipped)
  const [written, setOutcome] = useQuery('outcome', 'all')
  const outcome = isOutcome(written) ? written : 'all'
  const { text, found, field } = useTextFilter(requests, {
    example: 'Path, error or effect',
    textsOf,
  })
  const [, setText] = useQuery('search')
  const [method, setMethod] = useQuery('method')
  const [operation, setOperation] = useQuery('operation')
  const [reason, setReason] = useQuery('reason')
  const [reasons, setReasons] = useQuery('reasons')
  const searched = found.filter(selects({ method, operation, reason }))
  const filtered = Boolean(text || method || operation || reason) || outcome !== 'all'
  const clear = (): void => {
    for (const change of [setText, setMethod, setOperation, setReason]) change('')
    setOutcome('all')
  }
  return (
    <Page title="Requests" aside={<Share />}>
      {(reasons !== '' || reason !== '') && (
        <ReasonList
          of={found.filter(selects({ method, operation, reason: '' }))}
          chosen={reason}
          choose={setReason}
        />
      )}
      <LiveTable
        label="Requests"
        columns={REQUEST_COLUMNS}
        rows={searched.filter(OUTCOMES[outcome]).reverse()}
        keyOf={({ id }) => id}
        details={REQUEST_DETAILS}
        view={[outcome, text, method, operation, reason].join(' ')}
        empty={
          requests.length === 0 ? (
            <NoRequests />
          ) : (
            <p>None of the last {counted(requests.length, 'request')} matches.</p>
          )
        }
      >
        <Choices label="Outcome" of={OUTCOME_NAMES} chosen={outcome} choose={setOutcome}>
          {(each) => (
            <>
              {each} <span class="count">{figure(searched.filter(OUTCOMES[each]).length)}</span>
            </>
          )}
        </Choices>
        <Choice
          label="Method"
          value={method}
          change={setMethod}
          of={[['', 'All methods'], ...METHODS]}
        />
        <Choice
          label="Operation"
          value={operation}
          change={setOperation}
          of={[['', 'All operations'], ...operationsIn(requests)]}
        />
        {field}
        <button
          aria-expanded={reasons !== '' || reason !== ''}
          onClick={() => {
            setReasons(reasons === '' ? 'shown' : '')
            setReason('')
          }}
        >
          Errors by reason
        </button>
        {filtered && <button onClick={clear}>Clear filters</button>}
        {skipped > 0 && (
          <span class="faint">
            {counted(skipped, 'entry', 'entries')} skipped: too many at once
          </span>
        )}
      </LiveTable>
    </Page>
  )
}

function NoRequests(): ComponentChildren {
  const elsewhere = useElsewhere()
  if (elsewhere !== undefined) return <p>No requests in this world. {elsewhere}</p>
  return (
    <>
      <p>No requests yet. Each call to the API appears here. Make one:</p>
      <Snippets of={readSnippets} />
    </>
  )
}

/** The operations that were called. */
function operationsIn(requests: readonly RequestEntry[]): string[] {
  const names = requests.map((entry) => entry.operation ?? NO_OPERATION)
  return [...new Set(names)].sort((one, other) => one.localeCompare(other))
}

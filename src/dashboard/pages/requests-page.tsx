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
import { TextFilter } from '../parts/text-filter.js'
import { counted, figure, matching } from '../parts/wording.js'

const OUTCOMES = {
  all: () => true,
  ok: ({ status = 0, lost }: RequestEntry) => !lost && status < 400,
  '4xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 400 && status < 500,
  '5xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 500,
  lost: ({ lost }: RequestEntry) => lost !== undefined,
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function isOutcome(written: string): written is keyof typeof OUTCOMES {
  return written in OUTCOMES
}

/** What the user filters by. All of it is in the address. */
interface Filters {
  text: string
  method: string
  operation: string
  reason: string
}

/** Requests that no operation answers have this name in the filter. */
const NO_OPERATION = 'none'

function selects({ text, method, operation, reason }: Filters): (entry: RequestEntry) => boolean {
  return (entry) => {
    if (method !== '' && entry.method !== method) return false
    if (operation !== '' && (entry.operation ?? NO_OPERATION) !== operation) return false
    if (reason !== '' && groupOf(entry) !== reason) return false
    if (text === '') return true
    const { path, query, detail, effects, status } = entry
    const whole = `${entry.method} ${path}?${query}`
    return matching(text, whole, entry.operation, detail, String(status), ...effects)
  }
}

/** The latest requests of the journal. */
export function RequestsPage(): ComponentChildren {
  const requests = useLive((live) => live.entries).filter(isRequest)
  const skipped = useLive((live) => live.skipped)
  const [written, setOutcome] = useQuery('outcome', 'all')
  const outcome = isOutcome(written) ? written : 'all'
  const [text, setText] = useQuery('search')
  const [method, setMethod] = useQuery('method')
  const [operation, setOperation] = useQuery('operation')
  const [reason, setReason] = useQuery('reason')
  const [reasons, setReasons] = useQuery('reasons')
  const searched = requests.filter(selects({ text, method, operation, reason }))
  const filtered = Boolean(text || method || operation || reason) || outcome !== 'all'
  const clear = (): void => {
    for (const change of [setText, setMethod, setOperation, setReason]) change('')
    setOutcome('all')
  }
  return (
    <>
      <div class="line">
        <h1 tabIndex={-1}>Requests</h1>
        <Share />
      </div>
      {(reasons !== '' || reason !== '') && (
        <ReasonList
          of={requests.filter(selects({ text, method, operation, reason: '' }))}
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
        <div class="choices" role="group" aria-label="Outcome">
          {(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map((each) => (
            <button key={each} aria-pressed={each === outcome} onClick={() => setOutcome(each)}>
              {each} <span class="count">{figure(searched.filter(OUTCOMES[each]).length)}</span>
            </button>
          ))}
        </div>
        <Choice label="Method" all="All methods" value={method} change={setMethod} of={METHODS} />
        <Choice
          label="Operation"
          all="All operations"
          value={operation}
          change={setOperation}
          of={operationsIn(requests)}
        />
        <TextFilter example="Path, error or effect" text={text} change={setText} />
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
    </>
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

interface ChoiceProps {
  label: string
  /** The text of the choice that filters nothing. */
  all: string
  value: string
  change: (value: string) => void
  of: readonly string[]
}

/** A filter by one of several names. A name from the address is listed, too. */
function Choice({ label, all, value, change, of }: ChoiceProps): ComponentChildren {
  const names = value === '' || of.includes(value) ? of : [...of, value]
  return (
    <label>
      <span class="hidden-label">{label}</span>
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value="">{all}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

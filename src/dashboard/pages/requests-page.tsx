import type { ComponentChildren } from 'preact'
import type { RequestEntry } from '../../emulator/control/schemas.js'
import { isRequest } from '../data/live.js'
import { LiveTable } from '../parts/live-table.js'
import { groupOf, ReasonList, REQUEST_COLUMNS, REQUEST_DETAILS } from '../parts/request-row.js'
import { Share } from '../parts/share.js'
import { useChoice, useQuery } from '../routes.js'
import { readSnippets, Snippets } from '../parts/snippets.js'
import { useLive } from '../data/use-live.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { Choice, CountedChoices } from '../parts/choice.js'
import { Page } from '../parts/page.js'
import { useTextFilter, type TextFilterOptions } from '../parts/text-filter.js'
import { counted } from '../parts/wording.js'

const OUTCOMES = {
  all: () => true,
  ok: ({ status = 0, lost }: RequestEntry) => !lost && status < 400,
  '4xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 400 && status < 500,
  '5xx': ({ status = 0, lost }: RequestEntry) => !lost && status >= 500,
  lost: ({ lost }: RequestEntry) => lost !== undefined,
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const OUTCOME_NAMES = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]

/** Requests that no operation answers have this name in the filter. */
const NO_OPERATION = 'none'

const TEXT_FILTER: TextFilterOptions<RequestEntry> = {
  example: 'Path, error or effect',
  textsOf: ({ method, path, query, operation, detail, status, effects }) => {
    return [`${method} ${path}?${query}`, operation, detail, String(status), ...effects]
  },
}

/** The latest requests of the journal. */
export function RequestsPage(): ComponentChildren {
  const requests = useLive((live) => live.entries).filter(isRequest)
  const skipped = useLive((live) => live.skipped)
  const { rows, view, reasons, fields } = useFilters(requests)
  return (
    <Page title="Requests" aside={<Share />}>
      {reasons}
      <LiveTable
        label="Requests"
        columns={REQUEST_COLUMNS}
        rows={rows.reverse()}
        keyOf={({ id }) => id}
        details={REQUEST_DETAILS}
        view={view}
        empty={
          requests.length === 0 ? (
            <NoRequests />
          ) : (
            <p>None of the last {counted(requests.length, 'request')} matches.</p>
          )
        }
      >
        {fields}
        {skipped > 0 && (
          <span class="faint">
            {counted(skipped, 'entry', 'entries')} skipped: too many at once
          </span>
        )}
      </LiveTable>
    </Page>
  )
}

interface Filters {
  /** The requests that are left. */
  rows: RequestEntry[]
  /** What the user filters by, as one text. */
  view: string
  /** The list of reasons, if the user asked for it. */
  reasons: ComponentChildren
  fields: ComponentChildren
}

/** What the user filters by. All of it is in the address. */
function useFilters(requests: readonly RequestEntry[]): Filters {
  const [outcome, setOutcome] = useChoice('outcome', OUTCOME_NAMES)
  const [method, setMethod] = useQuery('method')
  const [operation, setOperation] = useQuery('operation')
  const { text, found, clear: clearText, field } = useTextFilter(requests, TEXT_FILTER)
  const ofOperation = found.filter((entry) => {
    const isOfMethod = method === '' || entry.method === method
    return isOfMethod && (operation === '' || operationOf(entry) === operation)
  })
  const { reason, setReason, list, button } = useReasons(ofOperation)
  const searched = ofOperation.filter((entry) => reason === '' || groupOf(entry) === reason)
  const isFiltered = Boolean(text || method || operation || reason) || outcome !== 'all'
  const clear = (): void => {
    for (const change of [setMethod, setOperation, setReason]) change('')
    clearText()
    setOutcome('all')
  }
  const fields = (
    <>
      <CountedChoices
        label="Outcome"
        of={OUTCOME_NAMES}
        chosen={outcome}
        choose={setOutcome}
        count={(each) => searched.filter(OUTCOMES[each]).length}
      />
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
      {button}
      {isFiltered && <button onClick={clear}>Clear filters</button>}
    </>
  )
  const view = [outcome, text, method, operation, reason].join(' ')
  return { rows: searched.filter(OUTCOMES[outcome]), view, reasons: list, fields }
}

interface Reasons {
  /** The reason that the user chose. Empty: none. */
  reason: string
  setReason: (reason: string) => void
  list: ComponentChildren
  /** Shows and hides the list. */
  button: ComponentChildren
}

/** The reasons why requests were refused. */
function useReasons(requests: readonly RequestEntry[]): Reasons {
  const [reason, setReason] = useQuery('reason')
  const [shown, setShown] = useQuery('reasons')
  const isOpen = shown !== '' || reason !== ''
  const toggle = (): void => {
    setShown(shown === '' ? 'shown' : '')
    setReason('')
  }
  const list = isOpen && <ReasonList of={requests} chosen={reason} choose={setReason} />
  const button = (
    <button aria-expanded={isOpen} onClick={toggle}>
      Errors by reason
    </button>
  )
  return { reason, setReason, list, button }
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
  return [...new Set(requests.map(operationOf))].sort((one, other) => one.localeCompare(other))
}

function operationOf({ operation }: RequestEntry): string {
  return operation ?? NO_OPERATION
}

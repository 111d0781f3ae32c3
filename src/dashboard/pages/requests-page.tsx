import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RequestEntry } from '../../emulator/control/schemas/journal.js'
import { isRequest } from '../data/live.js'
import { useLive } from '../data/use-live.js'
import type { Listing, RowsState } from '../kit/records.js'
import { REQUEST_COLUMNS, REQUEST_DETAILS, groupOf } from '../parts/request-row.js'
import { MayBeMore } from '../parts/may-be-more.js'
import { Share } from '../parts/share.js'
import { readSnippets, Snippets } from '../parts/snippets.js'
import { counted } from '../parts/amounts.js'

/** The ones that HTTP clients use. A request with another one is in the list, but not in the selection. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const OUTCOMES = ['ok', '4xx', '5xx', 'lost'] as const

/** The latest requests of the journal. */
export const REQUESTS: Listing<RequestEntry> = {
  title: 'Requests',
  thing: 'request',
  useRows,
  keyOf: ({ id }) => String(id),
  columns: REQUEST_COLUMNS,
  details: REQUEST_DETAILS,
  facets: [
    { name: 'outcome', label: 'Outcome', answerOf: outcomeOf, values: OUTCOMES },
    {
      name: 'method',
      label: 'Method',
      answerOf: ({ method }) => method,
      values: METHODS,
      by: { control: 'selection', all: 'All methods' },
    },
    {
      name: 'operation',
      label: 'Operation',
      answerOf: ({ operation }) => operation ?? 'none',
      by: { control: 'selection', all: 'All operations' },
    },
    {
      name: 'reason',
      label: 'Errors by reason',
      answerOf: groupOf,
      by: { control: 'list', none: 'No request was refused.' },
    },
  ],
  find: 'Path, error or effect',
  Aside: Share,
  Below: Skipped,
  Empty: () => (
    <>
      <p>No requests yet. Each call to the API appears here. Make one:</p>
      <Snippets of={readSnippets} />
    </>
  ),
}

/** The stream has them already. */
function useRows(): RowsState<RequestEntry> {
  const entries = useLive((live) => live.entries)
  const isCut = useLive((live) => live.isCut)
  const value = useMemo(() => entries.filter(isRequest).reverse(), [entries])
  const below = <MayBeMore of={value} most={isCut ? value.length : Infinity} />
  return { value, error: undefined, reload: () => {}, below }
}

function outcomeOf({ status = 0, lost }: RequestEntry): (typeof OUTCOMES)[number] {
  if (lost) return 'lost'
  if (status < 400) return 'ok'
  return status < 500 ? '4xx' : '5xx'
}

function Skipped(): ComponentChildren {
  const skipped = useLive((live) => live.skipped)
  if (skipped === 0) return null
  return <p class="faint">{counted(skipped, 'entry', 'entries')} skipped: too many at once</p>
}

import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { TimelineItem, TimelineState } from '../../emulator/control/schemas/timeline.js'
import { countsOf, ROW_KINDS, type TimelineView } from '../data/timeline-rows.js'
import { useChoice, useQuery } from '../routes.js'
import { counted, figure } from './amounts.js'
import { ZOOMS, type ZoomName } from './axis.js'
import { Choice, Choices, Toggle } from './choice.js'

const KINDS = ['all', ...ROW_KINDS] as const
/** What the filter says. */
const NAMES: Readonly<Record<(typeof KINDS)[number], string>> = {
  all: 'All kinds',
  request: 'Requests',
  job: 'Job events',
  delivery: 'Deliveries',
  receipt: 'Receipts',
  other: 'Other',
}
const ZOOM_NAMES = {
  happened: 'What happened',
  whole: 'Whole',
  minute: 'Last minute',
  now: 'Around now',
} as const
/** These show all rows. The others show those of a time. */
export const SHOWS_ALL: ReadonlySet<ZoomName> = new Set(['happened', 'whole'])

export interface Filters extends Pick<TimelineView, 'kind' | 'problemsOnly' | 'newestFirst'> {
  zoom: ZoomName
  fields: ComponentChildren
}

/** What the user filters by. All of it is in the address. */
export function useTimelineFilters(entries: readonly TimelineItem[]): Filters {
  const [zoom, setZoom] = useChoice('span', ZOOMS)
  const [kind, setKind] = useChoice('kind', KINDS)
  const [problems, setProblems] = useQuery('problems')
  const [order, setOrder] = useQuery('order')
  const counts = useMemo(() => countsOf(entries), [entries])
  const [problemsOnly, newestFirst] = [problems !== '', order !== '']
  const fields = (
    <>
      <Choices label="Time" of={ZOOMS} chosen={zoom} choose={setZoom}>
        {(each) => ZOOM_NAMES[each]}
      </Choices>
      <Choice
        label="Kind"
        value={kind}
        change={setKind}
        of={KINDS.map((each) => [each, `${NAMES[each]} (${figure(counts[each])})`] as const)}
      />
      <Toggle checked={problemsOnly} change={(only) => setProblems(only ? 'only' : '')}>
        Problems only <span class="count">{figure(counts.problems)}</span>
      </Toggle>
      <Toggle checked={newestFirst} change={(newest) => setOrder(newest ? 'newest' : '')}>
        Newest first
      </Toggle>
    </>
  )
  return { zoom, kind, problemsOnly, newestFirst, fields }
}

interface NothingProps {
  of: TimelineState
  filters: Filters
}

/** Why no row is shown. */
export function Nothing({ of: { entries, left_out }, filters }: NothingProps): ComponentChildren {
  const { zoom, kind, problemsOnly } = filters
  if (entries.length === 0) {
    return <p>Nothing has happened, and nothing is scheduled. Send a request, or start a job.</p>
  }
  if (problemsOnly && !entries.some(({ problem }) => problem)) {
    return left_out === 0 ? (
      <p>No problems. Requests, jobs and deliveries went well.</p>
    ) : (
      <p>No problems in the {counted(entries.length, 'entry', 'entries')} that were read.</p>
    )
  }
  return (
    <p>
      No {problemsOnly ? 'problem' : 'entry'}
      {kind !== 'all' && ' of this kind'}
      {!SHOWS_ALL.has(zoom) && ' at this time'}. Choose Whole and All kinds to see{' '}
      {problemsOnly ? 'all problems' : 'everything'}.
    </p>
  )
}

import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { TimelineItem, TimelineState } from '../../emulator/control/schemas/timeline.js'
import { useLive } from '../data/use-live.js'
import {
  countsOf,
  ROW_KINDS,
  rowsOf,
  treeOf,
  type RowKind,
  type TimelineRow,
  type TimelineView,
} from '../data/timeline-rows.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOnChange } from '../data/use-reload-on.js'
import { linkTo } from './link.js'
import { useChoice, useOpenIds, useQuery } from '../routes.js'
import { AdvanceTo } from './advance-to.js'
import { axisOf, ZOOMS, type Axis, type ZoomName } from './axis.js'
import { Loaded } from './page.js'
import { Choice, Choices, Toggle } from './choice.js'
import { LiveTable, type Column, type RowDetails } from '../kit/table.js'
import { AxisLabels, KindSymbol, Track } from './track.js'
import { counted, figure, lasting } from './amounts.js'
import { Moment } from './facts.js'
import { shortId } from './names.js'

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
/** What the symbol of one row stands for. */
const NAMES_OF_ONE: Readonly<Record<RowKind, string>> = {
  request: 'request',
  job: 'job event',
  delivery: 'delivery',
  receipt: 'receipt',
  other: 'other',
}
/** The most entries, and the most scheduled tasks, that are loaded. */
const MOST_LINES = 1000
/** The minimum time between two loads, in milliseconds. */
const PACE = 1000
const ZOOM_NAMES = {
  happened: 'What happened',
  whole: 'Whole',
  minute: 'Last minute',
  now: 'Around now',
} as const
/** These show all rows. The others show those of a time. */
const SHOWS_ALL: ReadonlySet<ZoomName> = new Set(['happened', 'whole'])

interface TimelineProps {
  /** The id of a job. Empty: the whole world. */
  job: string
  heading?: ComponentChildren
  /** The most entries. */
  limit?: number
}

/** What happened and what is scheduled: causes above effects, on the axis of the emulator's clock. */
export function Timeline({ job, heading, limit = MOST_LINES }: TimelineProps): ComponentChildren {
  const loaded = useLoaded(() => {
    return call('GET /timeline', { query: { limit, ...(job !== '' && { job }) } })
  }, job)
  useReloadOnChange(loaded.reload, PACE)
  return (
    <Loaded of={loaded} what="timeline">
      {(timeline) => <Lines of={timeline} job={job} heading={heading} />}
    </Loaded>
  )
}

interface LinesProps extends TimelineProps {
  of: TimelineState
}

function Lines({ of: timeline, job, heading }: LinesProps): ComponentChildren {
  const { entries, left_out } = timeline
  const { zoom, kind, problemsOnly, newestFirst, fields } = useFilters(entries)
  const runs = useOpenIds('run-')
  const ticking = useLive(({ clock }) => clock?.now)
  const now = Math.max(Date.parse(timeline.now), Date.parse(ticking ?? timeline.now))
  const axis = useMemo(() => axisFor(timeline, zoom, now), [timeline, zoom, now])
  const tree = useMemo(() => treeOf(entries, job !== ''), [entries, job])
  const rows = useMemo(() => {
    return rowsOf(tree, {
      from: SHOWS_ALL.has(zoom) ? -Infinity : axis.from,
      to: SHOWS_ALL.has(zoom) ? Infinity : axis.to,
      kind,
      problemsOnly,
      newestFirst,
      isOpen: (key) => runs.includes(key),
    })
  }, [tree, zoom, axis, kind, problemsOnly, newestFirst, runs])
  const columns = useMemo(() => columnsOf(axis), [axis])
  return (
    <div class="timeline stack">
      <LiveTable
        label="Timeline"
        columns={columns}
        rows={rows}
        keyOf={({ key }) => key}
        details={DETAILS}
        lookOf={lookOf}
        view={`${zoom} ${kind} ${problemsOnly} ${newestFirst} ${runs.join()} ${job}`}
        empty={<Nothing of={timeline} zoom={zoom} problemsOnly={problemsOnly} />}
      >
        {heading}
        {fields}
      </LiveTable>
      <Legend />
      {left_out > 0 && (
        <p class="faint">
          {counted(left_out, 'entry is', 'entries are')} left out: old gradient steps first.
        </p>
      )}
    </div>
  )
}

interface Filters extends Pick<TimelineView, 'kind' | 'problemsOnly' | 'newestFirst'> {
  zoom: ZoomName
  fields: ComponentChildren
}

/** What the user filters by. All of it is in the address. */
function useFilters(entries: readonly TimelineItem[]): Filters {
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

function axisFor({ entries }: TimelineState, zoom: ZoomName, now: number): Axis {
  const past = entries.filter(({ scheduled }) => !scheduled)
  const tasks = entries.filter(({ scheduled }) => scheduled)
  const timeOf = (item: TimelineItem | undefined): number | undefined => item && Date.parse(item.at)
  return axisOf(zoom, {
    past: past.map(({ at }) => Date.parse(at)),
    now,
    next: timeOf(tasks[0]),
    end: timeOf(tasks.at(-1)),
  })
}

function columnsOf(axis: Axis): readonly Column<TimelineRow>[] {
  return [
    ['What', 'w-grow', (row) => <What of={row} />],
    ['Outcome', 'w-status', (row) => <Outcome of={row} />],
    ['At', 'w-time', ({ at }) => <Moment at={new Date(at).toISOString()} />],
    ['To last effect', 'w-took', lastsText, { wide: true }],
    [
      'Clock',
      'w-axis drawn',
      (row) => <Track row={row} axis={axis} />,
      { axis: <AxisLabels axis={axis} /> },
    ],
  ]
}

/** The deepest indentation. Deeper rows have the same. */
const DEEPEST = 6

function lookOf({ scheduled }: TimelineRow): string {
  return scheduled ? 'scheduled' : ''
}

const DETAILS: RowDetails<TimelineRow> = {
  idOf: ({ key }) => key,
  show: (row) => (row.shape === 'run' ? null : <Details of={row} />),
  look: 'what cut',
}

function What({ of: row }: { of: TimelineRow }): ComponentChildren {
  const { kind, text, depth, problem, scheduled } = row
  return (
    <span title={text} style={{ '--depth': String(Math.min(depth, DEEPEST)) }}>
      <KindSymbol kind={kind} problem={problem} scheduled={scheduled} />
      <span class="hidden-label">
        {depth > 0 && `level ${depth + 1}, `}
        {NAMES_OF_ONE[kind]}
        {problem ? ', problem' : ''}:{' '}
      </span>
      {text}
    </span>
  )
}

/** From the cause of a row to its last effect, on the clock of the emulator. */
function lastsText({ at, end, bar }: TimelineRow): string {
  const lasts = Math.max(end, bar?.to ?? at) - Math.min(at, bar?.from ?? at)
  return lasts > 0 ? lasting(lasts) : ''
}

function Outcome({ of: { outcome, problem, scheduled } }: { of: TimelineRow }): ComponentChildren {
  if (scheduled) return <span class="faint">scheduled</span>
  return <span class={problem ? 'bad' : undefined}>{outcome}</span>
}

/** All facts of a row, and links to what it is about. */
function Details({ of: row }: { of: TimelineRow }): ComponentChildren {
  const { text, at, items, scheduled, cause, bar } = row
  const [item] = items as [TimelineItem]
  const iso = new Date(at).toISOString()
  const waited = bar && bar.to > bar.from ? lasting(bar.to - bar.from) : undefined
  return (
    <>
      <p>{text}</p>
      <p class="faint">
        {scheduled ? 'Scheduled for' : 'At'} <time dateTime={iso}>{iso}</time>
        {row.shape === 'entry' && item.id !== null && <>, entry {figure(item.id)}</>}
        {waited !== undefined && <>, {waited} after its cause</>}
      </p>
      {cause !== undefined && <p>Caused by: {cause}</p>}
      <p class="line">
        <Links of={item} />
        {scheduled && <AdvanceTo at={item.at} />}
      </p>
    </>
  )
}

function Links({ of: item }: { of: TimelineItem }): ComponentChildren {
  const { id, kind, job_id, delivery_id, record_id } = item
  return (
    <>
      {kind === 'request' &&
        id !== null &&
        linkTo({ page: 'request', id: String(id) }, `Request ${figure(id)}`)}
      {delivery_id !== null &&
        linkTo({ page: 'delivery', id: delivery_id }, `Delivery ${shortId(delivery_id)}`)}
      {record_id !== null &&
        linkTo({ page: 'sink' }, `Record ${record_id} of the sink`, {
          open: `record-${record_id}`,
        })}
      {job_id !== null && linkTo({ page: 'job', id: job_id }, `Job ${shortId(job_id)}`)}
    </>
  )
}

function Legend(): ComponentChildren {
  return (
    <ul class="legend faint" aria-label="Symbols">
      {ROW_KINDS.map((kind) => (
        <li key={kind}>
          <KindSymbol kind={kind} /> {NAMES_OF_ONE[kind]}
        </li>
      ))}
      <li>
        <KindSymbol kind="job" problem /> problem
      </li>
      <li>
        <KindSymbol kind="job" scheduled /> scheduled, after the line of now
      </li>
    </ul>
  )
}

interface NothingProps {
  of: TimelineState
  zoom: ZoomName
  problemsOnly: boolean
}

function Nothing({ of: { entries }, zoom, problemsOnly }: NothingProps): ComponentChildren {
  if (entries.length === 0) {
    return <p>Nothing has happened, and nothing is scheduled. Send a request, or start a job.</p>
  }
  if (problemsOnly) return <p>No problems. Requests, jobs and deliveries went well.</p>
  return (
    <p>
      No entry of this kind{SHOWS_ALL.has(zoom) ? '' : ' at this time'}. Choose Whole and All kinds
      to see everything.
    </p>
  )
}

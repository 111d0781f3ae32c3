import type { ComponentChildren } from 'preact'
import type { TimelineItem } from '../../emulator/control/schemas/timeline.js'
import { ROW_KINDS, type RowKind, type TimelineRow } from '../data/timeline-rows.js'
import type { Column, RowDetails } from '../kit/table.js'
import { AdvanceTo } from './advance-to.js'
import { figure, lasting } from './amounts.js'
import type { Axis } from './axis.js'
import { Moment } from './facts.js'
import { linkTo } from './link.js'
import { shortId } from './names.js'
import { AxisLabels, KindSymbol, Track } from './track.js'

/** What the symbol of one row stands for. */
const NAMES_OF_ONE: Readonly<Record<RowKind, string>> = {
  request: 'request',
  job: 'job event',
  delivery: 'delivery',
  receipt: 'receipt',
  other: 'other',
}
/** The deepest indentation. Deeper rows have the same. */
const DEEPEST = 6

export function columnsOf(axis: Axis): readonly Column<TimelineRow>[] {
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

export function lookOf({ scheduled }: TimelineRow): string {
  return scheduled ? 'scheduled' : ''
}

export const DETAILS: RowDetails<TimelineRow> = {
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
  const { text, at, item, scheduled, cause, bar } = row
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

/** What the symbols of the rows stand for. */
export function Legend(): ComponentChildren {
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

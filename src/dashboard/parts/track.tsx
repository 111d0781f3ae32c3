import type { ComponentChildren } from 'preact'
import type { Mark, RowKind, TimelineRow } from '../data/timeline-rows.js'
import { percentAt, ticksOf, type Axis } from './axis.js'

/** One shape for each kind, around 0, 0. So nobody needs the colors. */
const SHAPES: Readonly<Record<RowKind, string>> = {
  request: 'M-4-5L5 0L-4 5Z',
  job: 'M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z',
  delivery: 'M-4.5-4.5h9v9h-9Z',
  receipt: 'M0-5.5L5.5 0L0 5.5L-5.5 0Z',
  other: 'M0-5L5 4H-5Z',
}
const CROSS = 'M-4-4L4 4M4-4L-4 4'

interface SymbolProps {
  kind: RowKind
  problem?: boolean
  scheduled?: boolean
}

/** The symbol of a kind: filled when it happened, hollow when it is scheduled, a cross for a problem. */
export function KindSymbol(props: SymbolProps): ComponentChildren {
  return (
    <svg class="symbol" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
      <Shape {...props} />
    </svg>
  )
}

function Shape({ kind, problem = false, scheduled = false }: SymbolProps): ComponentChildren {
  const state = toneOf({ problem, scheduled })
  return problem ? (
    <path class={`shape cross ${state}`} d={CROSS} />
  ) : (
    <path class={`shape ${kind} ${state}`} d={SHAPES[kind]} />
  )
}

/** A row on the axis. It is decoration: the cells beside it say the same in words. */
export function Track({ row, axis }: { row: TimelineRow; axis: Axis }): ComponentChildren {
  const { kind, bar, marks, at, end, scheduled } = row
  const x = (moment: number): string => `${percentAt(axis, moment).toFixed(2)}%`
  const now = x(axis.now)
  return (
    <svg class="track" width="100%" height="28" aria-hidden="true">
      <rect class="future" x={now} width={width(axis, axis.now, axis.to)} height="28" />
      {ticksOf(axis).map((tick) => (
        <line key={tick.at} class="tick" x1={x(tick.at)} x2={x(tick.at)} y1="0" y2="28" />
      ))}
      <line class="now" x1={now} x2={now} y1="0" y2="28" />
      {!bar && end > at && !scheduled && (
        <line class={`span ${kind}`} x1={x(at)} x2={x(end)} y1="14" y2="14" />
      )}
      {bar &&
        segments(bar.from, bar.to, marks).map(([from, to, tone]) => (
          <rect
            key={`${from}-${to}`}
            class={`bar ${kind} ${tone}`}
            x={x(from)}
            width={width(axis, from, to)}
            y="11"
            height="6"
          />
        ))}
      {marks.map((mark, index) => (
        <Point key={index} mark={mark} kind={kind} axis={axis} />
      ))}
    </svg>
  )
}

function width(axis: Axis, from: number, to: number): string {
  return `${Math.max(0, percentAt(axis, to) - percentAt(axis, from)).toFixed(2)}%`
}

/** The parts of a bar between its marks: each is as the mark at its end. */
function segments(
  from: number,
  to: number,
  marks: readonly Mark[],
): [from: number, to: number, tone: string][] {
  const ends = marks.filter(({ at }) => at > from && at <= to)
  let start = from
  return ends.map((mark) => {
    const segment: [number, number, string] = [start, mark.at, toneOf(mark)]
    start = mark.at
    return segment
  })
}

function toneOf({ problem, scheduled }: Pick<Mark, 'problem' | 'scheduled'>): string {
  if (scheduled) return 'scheduled'
  return problem ? 'problem' : 'happened'
}

/** A mark at its moment, or an arrow at the edge to which it lies. */
function Point({ mark, kind, axis }: { mark: Mark; kind: RowKind; axis: Axis }): ComponentChildren {
  const { at, problem, scheduled } = mark
  const x = `${percentAt(axis, at).toFixed(2)}%`
  const beyond = beyondEdge(axis, at)
  return (
    <svg x={x} y="14" overflow="visible">
      {beyond === undefined ? (
        <Shape kind={kind} problem={problem} scheduled={scheduled} />
      ) : (
        <path class="beyond" d={beyond} />
      )}
    </svg>
  )
}

/** An arrow to the left or to the right, if the moment is not on the axis. */
function beyondEdge({ from, to }: Axis, at: number): string | undefined {
  if (at < from) return 'M6-4L1 0L6 4'
  return at > to ? 'M-6-4L-1 0L-6 4' : undefined
}

/** A label near an edge stays inside. */
function anchorOf(place: number): 'start' | 'middle' | 'end' {
  if (place < 12) return 'start'
  return place > 88 ? 'end' : 'middle'
}

/** The times of the axis, for the heading of the column. */
export function AxisLabels({ axis }: { axis: Axis }): ComponentChildren {
  return (
    <svg class="axis" width="100%" height="14" aria-hidden="true">
      {ticksOf(axis).map(({ at, label }) => {
        const place = percentAt(axis, at)
        return (
          <text key={at} x={`${place.toFixed(2)}%`} y="11" text-anchor={anchorOf(place)}>
            {label}
          </text>
        )
      })}
    </svg>
  )
}

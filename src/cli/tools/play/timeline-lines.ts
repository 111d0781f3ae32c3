import {
  explainFailure,
  type PlayCall,
  type PlayEntry,
  type PlayedJob,
} from '../../../tools/play/report.js'
import { type Paint, printable } from '../../terminal.js'
import { wrapped } from '../../text-width.js'
import { formatMetric, formatTime, formatDuration } from '../../report/format.js'
import { shortIds } from '../../report/trace-lines.js'

/** How many gradient steps of a long run are shown, at its start and at its end. */
const SHOWN_FIRST = 3
const SHOWN_LAST = 2

interface Line {
  at: number
  text: string
  /** Adjacent lines of the same job are a run. */
  run?: PlayedJob
}

/** Formats the timeline: one line per entry, with its time. */
export function timelineLines(
  timeline: readonly PlayEntry[],
  { paint, width: columns }: { paint: Paint; width: number | undefined },
): string[] {
  const lines = collapsed(timeline.flatMap((entry) => lineFor(entry, paint) ?? []))
  const width = Math.max(0, ...lines.map(({ at }) => formatTime(at).length))
  return lines.flatMap(({ at, text }) => {
    const line = `${paint('gray', formatTime(at).padStart(width))}  ${text}`
    return wrapped(line, columns, width + 2)
  })
}

function lineFor(entry: PlayEntry, paint: Paint): Line | undefined {
  const { at } = entry
  switch (entry.kind) {
    case 'call':
      return entry.call.routine ? undefined : { at, text: callLine(entry.call, paint) }
    case 'event': {
      const { event, job } = entry
      const text = eventLine(event, paint)
      return event.type === 'gradient_step' ? { at, text, run: job } : { at, text }
    }
    case 'checkpoint': {
      const { model, step } = entry.checkpoint
      return { at, text: `newest checkpoint of ${printable(model)}: step ${step}` }
    }
    case 'delivery': {
      const { text, error } = entry.delivery
      return {
        at,
        text: `webhook ${paint(error === undefined ? 'green' : 'red', printable(text))}`,
      }
    }
    case 'note':
      return { at, text: paint('gray', `(${printable(entry.text)})`) }
    case 'remark':
      return { at, text: paint('yellow', printable(entry.text)) }
  }
}

function callLine(call: PlayCall, paint: Paint): string {
  const { method, path, attempt, took, result, status, retryIn } = call
  const again = attempt === 1 ? '' : ` (attempt ${attempt})`
  const target = `${method} ${printable(shortIds(path))}${again}`
  const waited = took === 0 ? '' : ` after ${formatDuration(took)}`
  if (result === 'answered') return `${target} ${paint('green', String(status))}${waited}`
  const next = retryIn === undefined ? '' : `; again in ${formatDuration(retryIn)}`
  return `${target} ${paint('red', printable(explainFailure(call)))}${waited}${next}`
}

function eventLine({ type, data }: PlayedJob['events'][number], paint: Paint): string {
  if (type === 'training_failed') return paint('red', `${type} ${formatData(data)}`.trimEnd())
  return `${paint(type === 'training_ended' ? 'green' : 'cyan', printable(type))} ${formatData(data)}`.trimEnd()
}

const MOST_SHOWN = 4

/** Formats the most important data of an event. */
function formatData(data: Readonly<Record<string, unknown>>): string {
  const { error_message: message } = data
  if (typeof message === 'string') return printable(message)
  const names = Object.keys(data)
  const first = ['loss', 'reward'].filter((name) => names.includes(name))
  const shown = [...first, ...names.filter((name) => !first.includes(name))].slice(
    0,
    first.length > 0 ? first.length : MOST_SHOWN,
  )
  return shown.map((name) => printable(`${name} ${formatMetric(data[name])}`)).join(', ')
}

function collapsed(lines: readonly Line[]): Line[] {
  const result: Line[] = []
  for (let start = 0; start < lines.length;) {
    let end = start + 1
    while (end < lines.length && lines[start]!.run && lines[end]!.run === lines[start]!.run) end++
    result.push(...shortRun(lines.slice(start, end)))
    start = end
  }
  return result
}

function shortRun(run: readonly Line[]): Line[] {
  const left = run.length - SHOWN_FIRST - SHOWN_LAST
  // A line that replaces one line saves nothing.
  if (left < 2) return [...run]
  const next = run[SHOWN_FIRST]!
  return [
    ...run.slice(0, SHOWN_FIRST),
    { at: next.at, text: `… ${left} more` },
    ...run.slice(-SHOWN_LAST),
  ]
}

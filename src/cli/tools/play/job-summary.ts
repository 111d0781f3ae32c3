import type { PlayedJob } from '../../../tools/play/report.js'
import { type Paint, printable } from '../../terminal.js'
import { widthOf, wrapped } from '../../text-width.js'
import { sparkline } from '../../report/sparkline.js'
import { formatMetric, formatDuration } from '../../report/format.js'

const MOST_METRICS = 8
const FIRST = ['loss', 'reward']

interface Look {
  paint: Paint
  /** The width of the terminal. Undefined: a file. */
  width: number | undefined
}

/** The lengths of sparklines. */
const SHORTEST = 8
const LONGEST = 100
const USUAL = 60

/** Summarizes a job: its end in one line, and the course of its metrics. */
export function jobSummary(job: PlayedJob, look: Look): string[] {
  const { paint, width } = look
  const { id, kind, model, startedAt, endedAt } = job
  const short = id === undefined ? '' : ` ${id.slice(0, 8)}`
  const title = paint('bold', `${kind} job${printable(short)} of ${printable(model)}`)
  const took = formatDuration(endedAt - startedAt)
  const first = `${title}: ${formatEnd(job, { paint, took })}`
  return [...wrapped(first, width, 2), ...metricLines(job, width)]
}

function formatEnd(job: PlayedJob, { paint, took }: { paint: Paint; took: string }): string {
  const text = printable(ending(job, took))
  if (job.ended === 'ended') return paint('green', text)
  return paint(job.ended === 'running' ? 'yellow' : 'red', text)
}

function ending(
  { ended, reason, checkpoint, nothingToTrain, events, endedAt, startedAt }: PlayedJob,
  took: string,
) {
  const why = reason === undefined ? '' : `: ${reason}`
  switch (ended) {
    case 'ended': {
      const nothing = nothingToTrain === undefined ? '' : `; nothing to train: ${nothingToTrain}`
      return `ended after ${took} ${checkpoint ? `with checkpoint ${checkpoint.step}` : 'without a visible checkpoint'}${nothing}`
    }
    case 'failed':
      return `failed after ${took}${why}`
    case 'running': {
      const quiet = endedAt - (events.at(-1)?.at ?? startedAt)
      return `still running: gave up after ${formatDuration(quiet)} without news`
    }
    case 'lost':
      return `lost after ${took}${why}`
    case 'refused':
      return `never created${why}`
  }
}

function metricLines({ events }: PlayedJob, columns: number | undefined): string[] {
  const steps = events.flatMap(({ type, data }) => {
    return type === 'gradient_step' ? [new Map(Object.entries(data))] : []
  })
  const found = [...new Set(steps.flatMap((data) => [...data.keys()]))]
  // Metrics that never change come last.
  const moves = (name: string): boolean => {
    return steps.some((data) => !Object.is(data.get(name), steps[0]!.get(name)))
  }
  const rank = (name: string): number => {
    const place = FIRST.indexOf(name)
    if (place !== -1) return place
    return FIRST.length + Number(!moves(name))
  }
  const names = found.sort((one, other) => rank(one) - rank(other))
  const shown = names.slice(0, MOST_METRICS)
  const width = Math.max(0, ...shown.map((name) => widthOf(printable(name))))
  const rows = shown.map((name) => {
    const values = steps.map((data) => data.get(name))
    const course = printable(`${formatMetric(values[0])} → ${formatMetric(values.at(-1))}`)
    return { name: printable(name), values, course }
  })
  const courses = Math.max(0, ...rows.map(({ course }) => widthOf(course)))
  const room = columns === undefined ? USUAL : columns - width - courses - 6
  const length = Math.min(Math.max(room, SHORTEST), LONGEST)
  const lines = rows.map(({ name, values, course }) => {
    return `  ${name}${' '.repeat(width - widthOf(name))}  ${sparkline(values, length)}  ${course}`
  })
  const left = names.length - shown.length
  return left > 0 ? [...lines, `  … ${left} more`] : lines
}

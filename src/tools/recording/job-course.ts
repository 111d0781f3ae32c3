import { trainingJobEventTypes } from '../../service/contract/training-job.js'
import { isEnd } from './job-record.js'
import type { SeenEvent, SeenJob } from './seen-job.js'
import { roundedBetween, roundedIn, type Span } from './times.js'

/** Between which moments a job ran, in milliseconds since the first request. */
export interface Bounds {
  /** When the job could start. */
  readonly base: number
  /** When the next job of the model was first seen to do something. This one was over then. */
  readonly until: number
}

const TYPES: readonly string[] = trainingJobEventTypes

/** Whether a scenario can have an event. */
export function isKnown({ type }: Pick<SeenEvent, 'type'>): boolean {
  return TYPES.includes(type)
}

/** When everything happened. Times count from the moment when the job could start. */
export interface Course {
  readonly startAt: number
  readonly blocks: readonly Block[]
  /** When the last step was. */
  readonly last: number
  readonly over: number
  /** Whether some events have times between two polls, and whether the steps have their mean time. */
  readonly isSpread: boolean
  readonly isMean: boolean
}

export function courseOf(job: SeenJob, place: Bounds): Course {
  const known = job.events.filter(isKnown)
  const { moments, isSpread } = momentsOf(known, place)
  const steps = moments.filter((_moment, index) => known[index]!.type === 'gradient_step')
  const startAt = moments[known.findIndex(({ type }) => type === 'training_started')]?.at ?? 0
  const { blocks, isMean } = blocksOf(steps, startAt)
  const last = blocks.reduce((at, block) => at + lengthOf(block), startAt)
  const readAt = (job.polls.at(-1)?.answeredAt ?? 0) - place.base
  const unknown = Math.min(place.until - place.base, Math.max(readAt, last) + SECOND)
  const endAt = moments[known.findIndex(isEnd)]?.at ?? unknown
  return { startAt, blocks, last, over: Math.max(last, endAt), isSpread, isMean }
}

const SECOND = 1000

/** When an event happened, and the polls that it lies between. Times count from the moment when its job could start. */
interface Moment extends Span {
  readonly at: number
}

/** Events of the same poll lie evenly between it and the poll before. */
function momentsOf(
  events: readonly SeenEvent[],
  { base, until }: Bounds,
): { moments: Moment[]; isSpread: boolean } {
  const moments: Moment[] = []
  let isSpread = false
  for (let index = 0; index < events.length;) {
    const { span } = events[index]!
    const isSame = (each: SeenEvent): boolean => {
      return each.span.above === span.above && each.span.most === span.most
    }
    const different = events.slice(index).findIndex((each) => !isSame(each))
    const count = different === -1 ? events.length - index : different
    const before = moments.at(-1)?.at ?? 0
    const most = Math.max(before, lastTime(span, { base, until }) - base)
    const above = Math.min(most, Math.max(span.above - base, before - 1, -1))
    const isOne = count === 1 || most - Math.max(0, above) <= 1
    isSpread ||= !isOne
    for (let each = 1; each <= count; each++) {
      const even = above + Math.floor(((most - above) * each) / count)
      const at = isOne || each === count ? roundedIn({ above, most }) : Math.max(0, even)
      moments.push({ at: Math.max(at, moments.at(-1)?.at ?? 0), above, most })
    }
    index += count
  }
  return { moments, isSpread }
}

/** The end of a span. If the next job started in it, this one leaves half of the time to that. */
function lastTime({ above, most }: Span, { base, until }: Bounds): number {
  const since = Math.max(above, base)
  const isShared = until <= most && most - since > 1
  return isShared ? Math.floor((since + Math.max(since, until)) / 2) : most
}

/** Gradient steps with the same time between them. */
export interface Block {
  /** The time from the event before to the first step. */
  readonly after: number
  readonly every: number
  readonly count: number
}

function lengthOf({ after, every, count }: Block): number {
  return after + (count - 1) * every
}

/** More blocks than this for one job are not readable. */
const MOST_BLOCKS = 30

function blocksOf(steps: readonly Moment[], start: number): { blocks: Block[]; isMean: boolean } {
  const blocks: Block[] = []
  let last = start
  for (let done = 0; done < steps.length; done += blocks.at(-1)!.count) {
    if (blocks.length === MOST_BLOCKS) return { blocks: [meanBlock(steps, start)], isMean: true }
    const block = blockAt(steps, done, last)
    blocks.push(block)
    last += lengthOf(block)
  }
  return { blocks, isMean: false }
}

function meanBlock(steps: readonly Moment[], start: number): Block {
  // Whole milliseconds: the last step is at most so many of them early.
  const every = Math.floor(Math.max(0, steps.at(-1)!.at - start) / steps.length)
  return { after: every, every, count: steps.length }
}

/** Returns the longest block from a step on. Its first step may be as late as it was seen, or between two polls. */
function blockAt(steps: readonly Moment[], from: number, last: number): Block {
  const { at, above, most } = steps[from]!
  const late = blockFrom(steps, { from, first: at, last })
  const middle = Math.max(last, Math.ceil((above + most) / 2))
  const early = blockFrom(steps, { from, first: middle, last })
  return early.count > late.count ? early : late
}

/** The steps are within 10 % of a step, or between the polls that show them. */
function blockFrom(
  steps: readonly Moment[],
  { from, first, last }: { from: number; first: number; last: number },
): Block {
  let [least, most, count] = [0, Infinity, 1]
  for (; from + count < steps.length; count++) {
    const { at, ...polls } = steps[from + count]!
    const isExact = polls.most - polls.above <= 1
    const low = isExact ? (at - first) / (count + 0.1) : (polls.above + 1 - first) / count
    const high = isExact ? (at - first) / (count - 0.1) : (polls.most - first) / count
    if (Math.max(least, low) > Math.min(most, high)) break
    least = Math.max(least, low)
    most = Math.min(most, high)
  }
  const after = Math.max(0, first - last)
  if (count === 1) return { after, every: after, count }
  const mean = (steps[from + count - 1]!.at - first) / (count - 1)
  const every = roundedBetween(Math.min(most, Math.max(least, mean)), least, most)
  return { after, every, count }
}

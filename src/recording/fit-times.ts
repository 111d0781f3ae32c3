import { effortOf, intersection, isEmpty, roundTimesIn, roundestIn, type Span } from './round.js'

/** When the events of a job happened, as far as polls show it. Times count from the moment when it could start. */
export interface SeenTimes {
  start: Span | undefined
  steps: readonly Span[]
  end: Span | undefined
  /** Whether the end should come after the time of a step, if that agrees: a guess for jobs that others wait for. */
  prefersRhythm?: boolean
}

/** Gradient steps with the same time between them. */
export interface Block {
  /** The time from the event before to the first step. */
  after: number
  every: number
  count: number
  /** Set if the steps are not regular: each of them came up to this much earlier or later. */
  jitter?: number
}

/** Times that agree with all that was seen, in milliseconds. */
export interface FittedTimes {
  start: number | undefined
  blocks: readonly Block[]
  /** The time from the event before to the end. */
  end: number | undefined
}

/** More blocks than this for one job are not readable. Such steps are described by their average and a jitter. */
const MOST_BLOCKS = 12

/** Finds the roundest times that agree with what was seen. */
export function fitTimes({ start, steps, end, prefersRhythm }: SeenTimes): FittedTimes {
  const starts = start ? roundTimesIn(start) : [0]
  let best: { fitted: FittedTimes; effort: number } | undefined
  for (const from of starts.length > 0 ? starts : [Math.max(0, start!.most)]) {
    const { blocks, last } = fitSteps(steps, from)
    const gap = end && shifted(end, -last)
    const every = prefersRhythm ? blocks.at(-1)?.every : undefined
    const isRhythm = every !== undefined && gap && every > gap.above && every <= gap.most
    const closing = isRhythm ? every : gap && roundestIn({ ...gap, above: Math.max(gap.above, -1) })
    const fitted = { start: start && from, blocks, end: closing && Math.max(0, closing) }
    const effort =
      (start ? effortOf(from) : 0) +
      blocks.reduce((sum, block) => sum + effortOfBlock(block), 0) +
      (closing === undefined ? 0 : effortOf(closing) + (closing < 0 ? 100 : 0))
    if (!best || effort < best.effort) best = { fitted, effort }
  }
  return best!.fitted
}

function effortOfBlock({ after, every, count, jitter }: Block): number {
  const own = after === every || count === 0 ? 0 : effortOf(after) + 1
  return 4 + own + (count > 1 || after === every ? effortOf(every) : 0) + (jitter ? 20 : 0)
}

function shifted({ above, most }: Span, by: number): Span {
  return { above: above + by, most: most + by }
}

function fitSteps(steps: readonly Span[], from: number): { blocks: Block[]; last: number } {
  const blocks: Block[] = []
  let last = from
  let done = 0
  while (done < steps.length) {
    const spans = steps.slice(done).map((span) => shifted(span, -last))
    const block = longestBlock(spans)
    blocks.push(block)
    if (blocks.length > MOST_BLOCKS) return irregular(steps, from)
    last += block.after + (block.count - 1) * block.every
    done += block.count
  }
  return { blocks, last }
}

/** Returns the longest regular block at the beginning of some steps. Times count from the event before. */
function longestBlock(spans: readonly Span[]): Block {
  const whole = regularBlock(spans)
  if (whole) return whole
  // Of the lengths that fit, the longest one, found by doubling and then by halves.
  let fits = 1
  let fails = spans.length
  while (fits * 2 < fails && regularBlock(spans.slice(0, fits * 2))) fits *= 2
  fails = Math.min(fails, fits * 2)
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1
    if (regularBlock(spans.slice(0, middle))) fits = middle
    else fails = middle
  }
  return regularBlock(spans.slice(0, fits)) ?? singleStep(spans[0]!)
}

function singleStep({ above, most }: Span): Block {
  const after = roundestIn({ above: Math.max(above, -1), most: Math.max(most, 0) })
  return { after: Math.max(0, after), every: Math.max(0, after), count: 1 }
}

/** Returns the roundest `after` and `every` with which all steps are in their spans. Undefined if there are none. */
function regularBlock(spans: readonly Span[]): Block | undefined {
  const count = spans.length
  // With the same time before the first step as between the others.
  const even = spans.reduce<Span>(
    (span, { above, most }, index) => {
      return intersection(span, { above: above / (index + 1), most: most / (index + 1) })
    },
    { above: -1, most: Infinity },
  )
  if (!isEmpty(even) && even.most >= 0) {
    const every = roundestIn(even)
    return { after: every, every, count }
  }
  if (count === 1) return isEmpty(spans[0]!) ? undefined : singleStep(spans[0]!)
  const [first, last] = [spans[0]!, spans.at(-1)!]
  const between = {
    above: Math.max(-1e-6, (last.above - first.most) / (count - 1)),
    most: (last.most - first.above) / (count - 1),
  }
  let best: Block | undefined
  for (const every of [0, ...roundTimesIn(between)]) {
    const offset = spans.reduce<Span>(
      (span, each, index) => intersection(span, shifted(each, -index * every)),
      { above: -1, most: Infinity },
    )
    if (isEmpty(offset) || offset.most < 0) continue
    const block = { after: Math.max(0, roundestIn(offset)), every, count }
    if (!best || effortOfBlock(block) < effortOfBlock(best)) best = block
  }
  return best
}

/** Describes steps that are not regular by their average. */
function irregular(steps: readonly Span[], from: number): { blocks: Block[]; last: number } {
  const count = steps.length
  const every = Math.round(Math.max(1, (steps.at(-1)!.most - from) / count))
  const jitter = steps.reduce((most, span, index) => {
    const planned = from + (index + 1) * every
    const before = index === 0 ? from : steps[index - 1]!.most
    return Math.max(most, Math.abs(span.most - before - (planned - (from + index * every))))
  }, 0)
  const bounded = Math.min(every, Math.round(jitter))
  return {
    blocks: [{ after: every, every, count, jitter: Math.max(1, bounded) }],
    last: from + count * every,
  }
}

import { intersection, isEmpty, middleOf, shifted, timeIn, type Span } from './times.js'

/** When the events of a job happened, as far as polls show it. Times count from the moment when it could start. */
export interface SeenTimes {
  start: Span | undefined
  steps: readonly Span[]
  end: Span | undefined
  /** How many jobs of the same length came before the start, which nobody saw. */
  hidden: number
  /** What later jobs of the model did before the end of this one was seen. They wait for it. */
  later: readonly Span[]
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

/** Finds times that agree with what was seen. */
export function fitTimes({ start, steps, end, hidden, later }: SeenTimes): FittedTimes {
  const from = start ? timeIn(firstOf(start, [...steps, ...(end ? [end] : []), ...later])) : 0
  const { blocks, last } = fitSteps(steps, from)
  if (!end) return { start: start && from, blocks, end }
  const { above, most } = firstOf(end, later)
  // With more time than this, the hidden jobs would not be over at the start.
  const longest = hidden > 0 ? Math.min(most, from + from / hidden) : most
  const closing = shifted({ above, most: longest > above ? longest : most }, -last)
  const gap = { above: Math.max(-1, closing.above), most: Math.max(0, closing.most) }
  return { start: start && from, blocks, end: timeIn(gap) }
}

/** Leaves room for events that were seen at the same poll. */
function firstOf({ above, most }: Span, others: readonly Span[]): Span {
  const together = 1 + others.filter((span) => span.most <= most).length
  return { above, most: Math.min(most, Math.ceil(above + (most - above) / together)) }
}

function fitSteps(steps: readonly Span[], from: number): { blocks: Block[]; last: number } {
  const blocks: Block[] = []
  let last = from
  let done = 0
  while (done < steps.length) {
    const spans = steps.slice(done).map(({ above, most }) => {
      return { above: Math.max(-1, above - last), most: Math.max(0, most - last) }
    })
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
  // Steps at the moment of the event before.
  const later = spans.findIndex(({ most }) => most > 0)
  const now = later === -1 ? spans.length : later
  if (now > 0) return { after: 0, every: 0, count: now }
  let between: Span = { above: -1, most: Infinity }
  let count = 1
  for (; count < spans.length; count++) {
    const next = gapBetween(spans, count, between)
    if (isEmpty(next)) break
    between = next
  }
  if (count === 1) {
    const after = timeIn(spans[0]!)
    return { after, every: after, count }
  }
  const every = middleOf(between)
  const first = spans
    .slice(0, count)
    .map((span, index) => shifted(span, -index * every))
    .reduce(intersection)
  const isEven = every > first.above && every <= first.most
  return { after: isEven ? every : timeIn(first), every, count }
}

/** Narrows the time between two steps to what one more step allows, whenever the first one came. */
function gapBetween(spans: readonly Span[], added: number, before: Span): Span {
  const last = spans[added]!
  let { above, most } = before
  for (let index = 0; index < added; index++) {
    const gaps = added - index
    above = Math.max(above, (last.above - spans[index]!.most) / gaps)
    most = Math.min(most, (last.most - spans[index]!.above) / gaps)
  }
  return { above, most }
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

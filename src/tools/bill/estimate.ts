import type { BillRange } from './control-schemas.js'

/** The quantiles of Student's distribution for a confidence of 99 %, by degrees of freedom from 1. */
const QUANTILES = [63.66, 9.93, 5.85, 4.61, 4.04, 3.71, 3.5, 3.36, 3.25, 3.17]
const NORMAL = 2.58

/** The quantile for many degrees of freedom, by the first term of its expansion, rounded up. */
function quantile(freedom: number): number {
  return QUANTILES[freedom - 1] ?? NORMAL + 6 / freedom
}

/** The least margin of a figure that was the same in each observed step, as a share of what later steps add. */
const LEAST_MARGIN = 0.05

/**
 * The least margin of a figure that was not. It depends on what models say, which changes as they learn: the first
 * steps of a loop can be much alike, and 30 steps of one with a policy that learns had 12 % fewer prompt tokens.
 */
const LEAST_MARGIN_IF_CHANGED = 0.2

/** Equal amounts of money differ in their last digits, as a share of them. */
const ROUNDING = 1e-9

/**
 * Estimates what a figure of a longer run is. See docs/how-to/bill.md for what it assumes.
 *
 * @param observed What each step used, in their order. At least two.
 * @param more How many steps follow.
 * @param once What was used after the last step. It comes once.
 */
export function rangeOf(observed: readonly number[], more: number, once = 0): BillRange {
  const count = observed.length
  const sum = observed.reduce((total, each) => total + each, 0)
  const mean = sum / count
  const squares = observed.reduce((total, each) => total + (each - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / (count - 1))
  const spread = quantile(count - 1) * deviation * Math.sqrt(1 / count + 1 / more)
  const isSame = deviation <= ROUNDING * Math.abs(mean)
  const least = isSame ? LEAST_MARGIN : LEAST_MARGIN_IF_CHANGED
  const margin = Math.max(spread, least * mean)
  const changes = observed.slice(1).map((each, index) => each - observed[index]!)
  const last = observed.at(-1)!
  let [low, high] = [Math.max(0, mean - margin) * more, (mean + margin) * more]
  if (changes.every((change) => change > 0)) {
    high = Math.max(high, (1 + LEAST_MARGIN) * trend(last, Math.max(...changes), more))
  }
  if (changes.every((change) => change < 0)) {
    low = Math.min(low, trend(last, Math.min(...changes), more))
  }
  const before = sum + once
  return { low: before + low, likely: before + mean * more, high: before + high }
}

/** The sum of later steps, if each differs from the one before by `change`. None is below 0. */
function trend(last: number, change: number, more: number): number {
  const growing = change >= 0 ? more : Math.min(more, Math.floor(last / -change))
  return growing * last + (change * growing * (growing + 1)) / 2
}

/** Returns a range with whole numbers, which contains the other one. */
export function whole({ low, likely, high }: BillRange): BillRange {
  return { low: Math.floor(low), likely: Math.round(likely), high: Math.ceil(high) }
}

/** What an estimate assumes, as sentences. */
export const ASSUMPTIONS: readonly string[] = [
  'Each later step is like the observed ones. Work that comes only now and then is in it only if it was observed.',
  'The spread stays the same. Each range has a confidence of 99 % for steps that are spread normally.',
  'A figure that was the same in each step varies by 5 %. One that was not varies by 20 % or more, because answers change as a model learns.',
  'If each step used more than the one before, it may go on growing, by at most the largest increase so far.',
  'What comes after the last training job comes once.',
  'Checkpoints and files: from what is kept if the program deletes more, to what is kept if it deletes nothing more.',
]

import { closest, distance } from 'fastest-levenshtein'

/**
 * Returns the candidate that is most similar to `written`, if it is similar enough for a suggestion. Of those that differ
 * in their numbers alone, such as `step9` and `step3`, it is the one with the nearest numbers.
 */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(2, Math.ceil(written.length / 3))
  const similar = candidates.filter((each) => {
    // Two of four letters can be the same by accident.
    const isLikely = written.length > 4 || each.includes(written[0]!)
    return distance(written, each) <= (isLikely ? most : 1)
  })
  const shape = shapeOf(written)
  const [first, ...others] = similar.filter((each) => shapeOf(each) === shape)
  if (first === undefined) return closest(written, similar)
  return others.reduce((best, each) => {
    return gapOf(written, each) < gapOf(written, best) ? each : best
  }, first)
}

/** A text without what its numbers are. */
function shapeOf(text: string): string {
  return text.replaceAll(/\d+/g, '#')
}

/** How far the numbers of two texts of one shape are from each other. */
function gapOf(one: string, other: string): number {
  const [here, there] = [numbersIn(one), numbersIn(other)]
  return here.reduce((sum, number, at) => sum + Math.abs(number - there[at]!), 0)
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number)
}

/** Returns the candidate that is most similar to `written`, even if it is quite different. */
export function mostSimilar(written: string, candidates: readonly string[]): string {
  return closest(written, candidates)
}

/**
 * Returns ` Did you mean "best"?`, with a space in front, or an empty text if no candidate is similar
 * enough. `format` says how to show the candidate. Default: in quotes.
 */
export function didYouMean(
  written: string,
  candidates: readonly string[],
  format = (candidate: string): string => `"${candidate}"`,
): string {
  const best = nearest(written, candidates)
  return best === undefined ? '' : ` Did you mean ${format(best)}?`
}

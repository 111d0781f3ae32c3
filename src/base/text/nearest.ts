import { closest, distance } from 'fastest-levenshtein'

/** Returns the candidate that is most similar to `written`, if it is similar enough for a suggestion. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(2, Math.ceil(written.length / 3))
  const similar = candidates.filter((each) => {
    // Two of four letters can be the same by accident.
    const isLikely = written.length > 4 || each.includes(written[0]!)
    return distance(written, each) <= (isLikely ? most : 1)
  })
  return closest(written, similar)
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

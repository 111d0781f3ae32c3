import { closest, distance } from 'fastest-levenshtein'

/** The candidate most like what was written, if it is like enough to be what was meant. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const best = closest(written, candidates)
  return distance(written, best) <= Math.max(2, Math.ceil(written.length / 3)) ? best : undefined
}

/** ` Did you mean "best"?`, with the space in front; empty where no candidate is near. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const best = nearest(written, candidates)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}

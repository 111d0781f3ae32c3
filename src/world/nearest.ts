import { closest, distance } from 'fastest-levenshtein'

/** The candidate most like what was written, if it is like enough to be what was meant. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const best = closest(written, candidates)
  return distance(written, best) <= Math.max(2, Math.ceil(written.length / 3)) ? best : undefined
}

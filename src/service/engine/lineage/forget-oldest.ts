/**
 * Drops the oldest entries of a map that may have at most so many, once there are a quarter more. A map whose first
 * entry is removed again and again is slow to begin.
 */
export function forgetOldest<Key>(known: Map<Key, unknown>, most: number): void {
  if (known.size <= 1.25 * most) return
  for (const key of known.keys()) {
    if (known.size <= most) break
    known.delete(key)
  }
}

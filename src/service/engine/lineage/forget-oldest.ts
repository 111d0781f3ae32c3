/** Drops the oldest entries of a map that may have at most so many. */
export function forgetOldest<Key>(known: Map<Key, unknown>, most: number): void {
  for (const key of known.keys()) {
    if (known.size <= most) break
    known.delete(key)
  }
}

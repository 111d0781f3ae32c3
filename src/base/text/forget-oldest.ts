/**
 * Drops the oldest entries of a map that may have at most so many, once there are a quarter more. A map whose first
 * entry is removed again and again is slow to begin. Returns the keys of those that it dropped.
 */
export function forgetOldest<Key>(known: Map<Key, unknown>, most: number): Key[] {
  if (known.size <= 1.25 * most) return []
  const forgotten = [...known.keys()].slice(0, known.size - most)
  for (const key of forgotten) known.delete(key)
  return forgotten
}

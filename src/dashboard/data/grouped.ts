/** The values by a key that several can have, in their order. */
export function grouped<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    groups.set(key, groups.get(key) ?? [])
    groups.get(key)!.push(value)
  }
  return groups
}

/** The value at a path of keys inside of a value. Undefined if it has no such place. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string | number, unknown>)[key]
  }
  return found
}

/** A value if it is a text. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

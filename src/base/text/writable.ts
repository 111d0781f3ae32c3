/** The most lists and maps that may be inside each other. JSON of much more cannot be written everywhere. */
export const MOST_NESTED = 200

/** A part of a value that cannot be saved. */
export interface Unwritable {
  /** The place of the part. At most its first ten steps. */
  readonly path: readonly (string | number)[]
  /** What is wrong. It completes a sentence that begins with the place. */
  readonly message: string
}

/** The most steps of a path that are shown. */
const MOST_SHOWN = 10

const TOO_DEEP = `expected at most ${MOST_NESTED} lists and maps inside each other; it is nested more deeply, or contains itself`

/**
 * Finds a part of a value that JSON cannot write: a bigint, a symbol, or lists and maps that are nested too
 * deeply or contain themselves. Functions are no part of it: what accepts them does not save them.
 */
export function findUnwritable(value: unknown): Unwritable | undefined {
  const found = search(value, 0)
  return found && { ...found, path: found.path.slice(0, MOST_SHOWN) }
}

function search(value: unknown, depth: number): Unwritable | undefined {
  if (typeof value === 'bigint' || typeof value === 'symbol') {
    const message = `expected a value that JSON can write, got a ${typeof value}`
    return { path: [], message }
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === MOST_NESTED) return { path: [], message: TOO_DEEP }
  for (const key of Object.keys(value)) {
    const found = search((value as Record<string, unknown>)[key], depth + 1)
    if (!found) continue
    return { ...found, path: [Array.isArray(value) ? Number(key) : key, ...found.path] }
  }
  return undefined
}

/** An assignment to this key changes what an object inherits, so schemas leave it out of maps. */
const RESERVED = '__proto__'

/** The place of a key that would be lost. The value has no part that `findUnwritable` finds. */
export function findReservedKey(value: unknown): Unwritable['path'] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, each] of Object.entries(value)) {
    const found = key === RESERVED ? [] : findReservedKey(each)
    if (found) return [Array.isArray(value) ? Number(key) : key, ...found]
  }
  return undefined
}

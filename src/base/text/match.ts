import { formatPath } from './format-path.js'
import { matchesGlob } from './glob.js'
import { shown } from './shown.js'

/** One place in which a value does not match a pattern. `formatDifferences` makes text of it. */
export interface Difference {
  /** Keys of objects and indexes of lists, from the outermost. */
  readonly path: readonly (string | number)[]
  readonly expected: unknown
  readonly received: unknown
}

/** A matcher of a test runner, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  /** Whether a value matches. */
  asymmetricMatch: (received: unknown) => boolean
  /** Returns the name that messages show, such as `Any<String>`. */
  toAsymmetricMatcher?: () => string
}

/**
 * Whether a value matches a pattern:
 * - An object matches if every key of the pattern matches. Other keys do not matter.
 * - A list matches if it has the same length and every item matches.
 * - A regular expression matches if it is found in the text.
 * - A function, or a matcher of a test runner, matches if it says so.
 * - Anything else matches only the same value.
 */
export function matches(pattern: unknown, value: unknown): boolean {
  return unequal(pattern, value, []).next().done === true
}

/** Returns every place in which a value does not match a pattern. */
export function differences(pattern: unknown, value: unknown): Difference[] {
  return [...unequal(pattern, value, [])]
}

/** A pattern that matches texts by a glob, such as `RUN_*`. */
export function globPattern(glob: string): Required<AsymmetricMatcher> {
  return new Glob(glob)
}

class Glob implements Required<AsymmetricMatcher> {
  readonly #glob: string

  constructor(glob: string) {
    this.#glob = glob
  }

  asymmetricMatch(text: unknown): boolean {
    return typeof text === 'string' && matchesGlob(text, this.#glob)
  }

  toAsymmetricMatcher(): string {
    return JSON.stringify(this.#glob)
  }
}

const MOST_DIFFERENCES = 8

/** Formats differences as lines for a message, at most eight of them. */
export function formatDifferences(found: readonly Difference[]): string[] {
  const lines = found.slice(0, MOST_DIFFERENCES).map(({ path, expected, received }) => {
    return `  ${formatPath(path)}: expected ${shown(expected)}, received ${shown(received)}`
  })
  const left = found.length - MOST_DIFFERENCES
  if (left <= 0) return lines
  return [...lines, `  … and ${left} more ${left === 1 ? 'difference' : 'differences'}`]
}

/** A generator, so that `matches` stops at the first difference. */
function* unequal(
  expected: unknown,
  received: unknown,
  path: Difference['path'],
): Generator<Difference> {
  if (Array.isArray(expected) && Array.isArray(received)) {
    yield* unequal(expected.length, received.length, [...path, 'length'])
    const both = expected.slice(0, received.length)
    for (const [index, item] of both.entries()) {
      yield* unequal(item, received[index], [...path, index])
    }
    return
  }
  if (isParts(expected) && typeof received === 'object' && received !== null) {
    for (const [key, part] of Object.entries(expected)) {
      const found = Object.hasOwn(received, key) ? (received as Parts)[key] : undefined
      yield* unequal(part, found, [...path, key])
    }
    return
  }
  if (!isMatch(expected, received)) yield { path, expected, received }
}

function isMatch(pattern: unknown, value: unknown): boolean {
  if (isAsymmetric(pattern)) return pattern.asymmetricMatch(value)
  // Unlike `test`, `search` ignores where an earlier search stopped (`lastIndex`).
  if (pattern instanceof RegExp) return typeof value === 'string' && value.search(pattern) >= 0
  if (typeof pattern === 'function') return Boolean((pattern as (value: unknown) => unknown)(value))
  // Python writes -0.0, which is equal to 0. NaN is the same value as itself.
  return pattern === value || Object.is(pattern, value)
}

type Parts = Readonly<Record<string, unknown>>

function isParts(pattern: unknown): pattern is Parts {
  // A Map or a Date has no fields: it would match every object.
  return Object.prototype.toString.call(pattern) === '[object Object]' && !isAsymmetric(pattern)
}

function isAsymmetric(pattern: unknown): pattern is AsymmetricMatcher {
  return typeof (pattern as Partial<AsymmetricMatcher> | null)?.asymmetricMatch === 'function'
}

import { matchesGlob } from './glob.js'
import { shown } from './shown.js'

/** One place in which a value does not match a pattern. */
export interface Difference {
  /** The path of the value, such as `body.trajectory_groups[0]`. */
  readonly place: string
  readonly expected: string
  readonly received: string
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
  return unequal(pattern, value, '').next().done === true
}

/**
 * Returns every place in which a value does not match a pattern.
 *
 * @param place The path of the whole value, such as `body`. Each returned place begins with it.
 */
export function differences(pattern: unknown, value: unknown, place = ''): Difference[] {
  return [...unequal(pattern, value, place)].map((each) => ({
    place: each.place,
    expected: shown(each.pattern),
    received: shown(each.value),
  }))
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
  const lines = found.slice(0, MOST_DIFFERENCES).map(({ place, expected, received }) => {
    return `  ${place}: expected ${expected}, received ${received}`
  })
  const left = found.length - MOST_DIFFERENCES
  if (left <= 0) return lines
  return [...lines, `  … and ${left} more ${left === 1 ? 'difference' : 'differences'}`]
}

interface Unequal {
  place: string
  pattern: unknown
  value: unknown
}

/** A generator, so that `matches` stops at the first difference. */
function* unequal(pattern: unknown, value: unknown, place: string): Generator<Unequal> {
  if (Array.isArray(pattern) && Array.isArray(value)) {
    yield* unequal(pattern.length, value.length, placeOf(place, 'length'))
    const both = pattern.slice(0, value.length)
    for (const [index, item] of both.entries()) {
      yield* unequal(item, value[index], `${place}[${index}]`)
    }
    return
  }
  if (isParts(pattern) && typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(pattern)) {
      const found = Object.hasOwn(value, key) ? (value as Parts)[key] : undefined
      yield* unequal(part, found, placeOf(place, key))
    }
    return
  }
  if (!isMatch(pattern, value)) yield { place, pattern, value }
}

function placeOf(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}

function isMatch(pattern: unknown, value: unknown): boolean {
  if (isAsymmetric(pattern)) return pattern.asymmetricMatch(value)
  // Unlike `test`, `search` ignores where an earlier search stopped (`lastIndex`).
  if (pattern instanceof RegExp) return typeof value === 'string' && value.search(pattern) >= 0
  if (typeof pattern === 'function') return Boolean((pattern as (value: unknown) => unknown)(value))
  return Object.is(pattern, value)
}

type Parts = Readonly<Record<string, unknown>>

function isParts(pattern: unknown): pattern is Parts {
  // A Map or a Date has no fields: it would match every object.
  return Object.prototype.toString.call(pattern) === '[object Object]' && !isAsymmetric(pattern)
}

function isAsymmetric(pattern: unknown): pattern is AsymmetricMatcher {
  return typeof (pattern as Partial<AsymmetricMatcher> | null)?.asymmetricMatch === 'function'
}

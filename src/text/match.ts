import { shown } from './shown.js'

/** Where something is not as expected, both sides in words. */
export interface Difference {
  /** `body.trajectory_groups[0]`. */
  readonly place: string
  readonly expected: string
  readonly received: string
}

/** A matcher of a test runner, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  asymmetricMatch: (received: unknown) => boolean
}

/**
 * Where what was received is not as expected. Of an object only the named keys are looked at, a list
 * is compared item by item, a regular expression is sought in a text, a function is asked, and so is
 * a matcher of a test runner.
 */
export function differencesOf(expected: unknown, received: unknown, place: string): Difference[] {
  if (Array.isArray(expected) && Array.isArray(received)) {
    const lengths = differencesOf(expected.length, received.length, `${place}.length`)
    const items = expected
      .slice(0, received.length)
      .flatMap((item, index) => differencesOf(item, received[index], `${place}[${index}]`))
    return [...lengths, ...items]
  }
  if (isParts(expected) && typeof received === 'object' && received !== null) {
    return Object.entries(expected).flatMap(([key, value]) => {
      const found = Object.hasOwn(received, key) ? (received as Parts)[key] : undefined
      return differencesOf(value, found, place === '' ? key : `${place}.${key}`)
    })
  }
  if (fits(expected, received)) return []
  return [{ place, expected: shown(expected), received: shown(received) }]
}

function fits(expected: unknown, received: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(received)
  if (expected instanceof RegExp) return typeof received === 'string' && occurs(expected, received)
  if (typeof expected === 'function')
    return Boolean((expected as (value: unknown) => unknown)(received))
  return Object.is(expected, received)
}

/** Wherever the expression was left by an earlier search. */
export function occurs(expression: RegExp, text: string): boolean {
  return text.search(expression) >= 0
}

type Parts = Readonly<Record<string, unknown>>

function isParts(expected: unknown): expected is Parts {
  if (typeof expected !== 'object' || expected === null) return false
  return !Array.isArray(expected) && !(expected instanceof RegExp) && !isAsymmetric(expected)
}

function isAsymmetric(expected: unknown): expected is AsymmetricMatcher {
  return typeof (expected as Partial<AsymmetricMatcher> | null)?.asymmetricMatch === 'function'
}

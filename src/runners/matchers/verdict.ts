import { shown } from '../../base/text/shown.js'
import { isPromise } from '../../base/text/options.js'

/**
 * Refuses a value of the wrong kind.
 *
 * @param what What the matcher needs: `a job`.
 * @param remedy A sentence that says what to pass.
 *
 * @throws {TypeError} Always.
 */
export function notFor(value: unknown, what: string, remedy: string): never {
  const forgotten = isPromise(value) ? ' Did you forget await?' : ''
  throw new TypeError(`${shown(value)} is not ${what}.${forgotten} ${remedy}`)
}

/** The result of a matcher, for Vitest and Jest. `message` is called only on failure. */
export interface Verdict {
  pass: boolean
  message: () => string
}

import { shown } from '../../text/shown.js'
import { isPromise } from '../../text/options.js'

/** Throws: a matcher was called on a value that it is not for. `remedy` says what to pass. */
export function notFor(value: unknown, what: string, remedy: string): never {
  const forgotten = isPromise(value) ? ' Did you forget await?' : ''
  throw new TypeError(`${shown(value)} is no ${what}.${forgotten} ${remedy}`)
}

/** What a matcher says, as Vitest and Jest take it. `message` is asked for only on failure. */
export interface Verdict {
  pass: boolean
  message: () => string
}

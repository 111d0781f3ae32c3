import { isDeepStrictEqual } from 'node:util'

/** The expected state of one thing. */
export interface Expected {
  readonly text: string
  readonly holds: (found: unknown) => boolean
  /** The lowest allowed number, for a number that only grows. */
  readonly least?: number
  /** The only allowed value. */
  readonly value?: unknown
}

export function is(value: unknown): Expected {
  const text = value === undefined ? 'gone' : JSON.stringify(value)
  return { text, value, holds: (found) => isDeepStrictEqual(found, value) }
}

export function atLeast(least: number): Expected {
  return { text: `at least ${least}`, least, holds: (found) => Number(found) >= least }
}

export const gone = is(undefined)
export const there: Expected = { text: 'there', holds: (found) => found !== undefined }
export const notStalled: Expected = {
  text: 'there and not stalled',
  holds: (found) => found !== undefined && found !== 'stalled',
}
/** A thing that soon changes by itself, because a receiver will answer. */
export const undecided: Expected = { text: 'undecided', holds: () => true }

/** What to expect of an uncertain thing after it was found in this state. */
export function asFound(expected: Expected, found: unknown): Expected {
  if (found === undefined) return gone
  if (expected === undecided) return undecided
  if (expected.least !== undefined) return atLeast(Number(found))
  // Such a job continues by itself.
  return found === 'queued' || found === 'running' ? there : is(found)
}

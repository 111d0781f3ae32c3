import { isDeepStrictEqual } from 'node:util'

/** What must be found of one thing. */
export interface Expected {
  readonly text: string
  readonly holds: (found: unknown) => boolean
  /** The least number that holds, if it is one that only grows. */
  readonly least?: number
}

export function is(value: unknown): Expected {
  const text = value === undefined ? 'gone' : JSON.stringify(value)
  return { text, holds: (found) => isDeepStrictEqual(found, value) }
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
/** A thing that changes by itself soon: a receiver has yet to answer. */
export const undecided: Expected = { text: 'undecided', holds: () => true }

/** What to expect from now on of a thing that was found like this, though it was not certain. */
export function asFound(expected: Expected, found: unknown): Expected {
  if (found === undefined) return gone
  if (expected === undecided) return undecided
  if (expected.least !== undefined) return atLeast(Number(found))
  // Such a job goes on by itself.
  return found === 'queued' || found === 'running' ? there : is(found)
}

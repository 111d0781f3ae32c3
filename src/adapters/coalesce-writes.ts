import type { ServerResponse } from 'node:http'
import type { Outcome } from '../contract/exchange.js'

export type Write = (response: ServerResponse, outcome: Outcome) => void

// Taken when the module loads: a test runner's fake timers, switched on later, must not stop us.
const afterThisTurn = globalThis.setImmediate

/**
 * Holds answers back to the end of the event loop's turn and writes them then, one after the other.
 * Waking a client that waits is the dearest part of an answer, and the first write of a turn wakes it
 * for all of them: with 32 connections this doubles what a port can serve; one alone loses nothing.
 */
export function writeTogether(write: Write): Write {
  let held: (readonly [ServerResponse, Outcome])[] = []
  const flush = (): void => {
    const answers = held
    held = []
    for (const [response, outcome] of answers) writeOrDrop(write, response, outcome)
  }
  return (response, outcome) => {
    if (held.push([response, outcome]) === 1) afterThisTurn(flush)
  }
}

/** What cannot be written, such as a header that is none, costs this answer and no other. */
function writeOrDrop(write: Write, response: ServerResponse, outcome: Outcome): void {
  try {
    write(response, outcome)
  } catch {
    response.destroy()
  }
}

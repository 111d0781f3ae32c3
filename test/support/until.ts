import { setImmediate, setTimeout } from 'node:timers/promises'

/** The longest time that a test waits for something, in milliseconds. */
const MOST_MS = 20_000
/** After so many turns, the condition depends on another process. That process needs the processor that we use. */
const TURNS = 100
const PAUSE_MS = 5

/**
 * Waits until a condition holds. It looks at each turn of the event loop, and later every 5 milliseconds.
 *
 * @param what Names the condition in the error: `a call hangs`.
 * @throws {Error} When it doesn't hold after 20 seconds.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const start = performance.now()
  for (let turn = 0; !(await condition()); turn++) {
    if (performance.now() - start > MOST_MS) {
      throw new Error(`Waited ${MOST_MS / 1000} s in vain until ${what}`)
    }
    await (turn < TURNS ? setImmediate() : setTimeout(PAUSE_MS))
  }
}

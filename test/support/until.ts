/** The longest time that a test waits for something, in milliseconds. */
const MOST_MS = 20_000

/**
 * Waits, turn by turn of the event loop, until a condition holds.
 *
 * @param what Names the condition in the error: `a call hangs`.
 * @throws {Error} When it doesn't hold after 20 seconds.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const start = performance.now()
  while (!(await condition())) {
    if (performance.now() - start > MOST_MS) {
      throw new Error(`Waited ${MOST_MS / 1000} s in vain until ${what}`)
    }
    await new Promise((resolve) => void setImmediate(resolve))
  }
}

/** Compares values for yargs, which does so at each start. `node:assert` itself takes 1.5 ms to load. */
export function strictEqual(actual: unknown, expected: unknown, message?: string): void {
  if (!Object.is(actual, expected)) throw new Error(message)
}

export function notStrictEqual(actual: unknown, expected: unknown, message?: string): void {
  if (Object.is(actual, expected)) throw new Error(message)
}

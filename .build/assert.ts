/** The functions of `node:assert` that yargs uses. */
export function strictEqual(actual: unknown, expected: unknown, message?: string): void {
  if (!Object.is(actual, expected)) throw new Error(message ?? 'values are not the same')
}

export function notStrictEqual(actual: unknown, expected: unknown, message?: string): void {
  if (Object.is(actual, expected)) throw new Error(message ?? 'values are the same')
}

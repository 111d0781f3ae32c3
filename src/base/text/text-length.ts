/** Whether an error says that a text became longer than the JavaScript engine allows. */
export function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && /string length|string longer/i.test(error.message)
}

/** The longest text of Node in characters, and in words. */
export const MOST_CHARACTERS = 2 ** 29 - 24
export const LONGEST_TEXT = 'about 512 MB'

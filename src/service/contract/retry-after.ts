/**
 * Returns the milliseconds that headers ask to wait. Undefined if they ask for nothing that clients can read.
 *
 * @param options `now`: when they were sent, for a date. Without it, a date says nothing.
 */
export function waitIn(
  headers: Readonly<Record<string, string>>,
  { now = NaN }: { now?: number } = {},
): number | undefined {
  const named = new Map(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]))
  const exact = numberIn(named.get('retry-after-ms'))
  if (exact !== undefined) return exact
  const text = named.get('retry-after') ?? ''
  const seconds = numberIn(text)
  if (seconds !== undefined) return seconds * 1000
  const wait = HTTP_DATE.test(text) ? Date.parse(text) - now : NaN
  return Number.isNaN(wait) ? undefined : wait
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$/

/** Reads the number of a header. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text) ? Number(text) : undefined
}

/** A date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^\s*[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/

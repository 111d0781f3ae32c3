import type { Seen } from './exchange.js'

/** The manners of the well-known client libraries: what they try again, and after how long. */

export const MOST_RETRIES = 3

const FIRST_WAIT = 500
const LONGEST_WAIT = 8000
/** Who is told to wait longer does as if nothing had been said. */
const LONGEST_OBEYED = 60_000

export function isWorthRetrying(seen: Seen): boolean {
  if (seen.kind !== 'answer') return true
  return [408, 409, 429].includes(seen.status) || seen.status >= 500
}

/** Milliseconds before the next attempt; `retries` is how many there have been. */
export function waitBefore(retries: number, seen: Seen): number {
  const asked = seen.kind === 'answer' ? askedFor(seen.headers) : undefined
  if (asked !== undefined && asked > 0 && asked <= LONGEST_OBEYED) return asked
  return Math.min(FIRST_WAIT * 2 ** retries, LONGEST_WAIT)
}

function askedFor(headers: Readonly<Record<string, string>>): number | undefined {
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const exact = numberIn(named['retry-after-ms'])
  if (exact !== undefined) return exact
  const seconds = numberIn(named['retry-after'])
  return seconds === undefined ? undefined : seconds * 1000
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

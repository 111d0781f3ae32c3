import { waitIn } from '../../service/contract/retry-after.js'
import type { ExchangeEnd } from './exchange.js'

/** The retry rules of the well-known client libraries. */

export const MOST_RETRIES = 3

const FIRST_WAIT = 500
const LONGEST_WAIT = 8000
/** A longer Retry-After is ignored. */
const LONGEST_RETRY_AFTER = 60_000

/** @param also - Further statuses that a client retries. */
export function isWorthRetrying(seen: ExchangeEnd, also: readonly number[] = []): boolean {
  if (seen.kind !== 'answer') return true
  return [408, 409, 429, ...also].includes(seen.status) || seen.status >= 500
}

/** Returns the milliseconds before the next attempt, after this number of retries. */
export function waitBefore(retries: number, seen: ExchangeEnd): number {
  const requested = seen.kind === 'answer' ? waitIn(seen.headers) : undefined
  if (requested !== undefined && requested > 0 && requested <= LONGEST_RETRY_AFTER) return requested
  return Math.min(FIRST_WAIT * 2 ** retries, LONGEST_WAIT)
}

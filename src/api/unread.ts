import type { Outcome } from '../contract/exchange.js'

/**
 * Ends an answer that nobody will read. Who makes a stream gives back what it holds when that ends, and
 * a generator that was never begun never ends.
 */
export async function leaveUnread(outcome: Outcome | undefined): Promise<void> {
  if (outcome?.kind !== 'stream') return
  try {
    for await (const _ of outcome.chunks) return
  } catch {
    // The world ended meanwhile.
  }
}

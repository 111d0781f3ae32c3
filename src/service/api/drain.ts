import { BrokenOff, type Chunks, type Outcome } from '../contract/exchange.js'
import type { Engine } from '../engine/engine.js'

/**
 * Ends an answer that nobody will read. A hanging one is left. A stream releases what it holds when it ends, and a
 * generator that never started never ends.
 */
export function drain(outcome: Outcome, { journal }: Pick<Engine, 'journal'>): void {
  if ('leave' in outcome) outcome.leave()
  if (outcome.kind !== 'stream') return
  void journal.background.watch('end a stream that nobody reads', ended(outcome.chunks))
}

async function ended(chunks: Chunks): Promise<void> {
  try {
    for await (const _ of chunks) return
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error
  }
}

import { nextTurn } from '../../base/clock/wall.js'
import type { Chunk, Chunks } from '../../service/contract/exchange.js'

/** Holds most chats. More would be memory for each client that reads slowly. */
const BATCH = 256

/**
 * Joins the chunks of an answer into fewer writes, because one write for each chunk takes longer. Chunks
 * that arrive over time pass through unchanged. If all chunks exist already, the first one is written
 * alone, and the others `BATCH` at a time. Each batch has its own turn of the event loop, so that other
 * requests do not have to wait. Chunks of bytes are large, so each of them is a batch.
 */
export async function* batchChunks(chunks: Chunks): AsyncGenerator<Chunk> {
  if (Symbol.asyncIterator in chunks) return yield* chunks
  let batch = ''
  let size = 0
  let wanted = 1
  for (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      yield chunk
      await nextTurn()
      continue
    }
    batch += chunk
    if (++size < wanted) continue
    yield batch
    await nextTurn()
    batch = ''
    size = 0
    wanted = BATCH
  }
  if (size > 0) yield batch
}

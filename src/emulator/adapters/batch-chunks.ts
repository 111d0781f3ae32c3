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
  for (const batch of batchesOf(chunks)) {
    yield batch
    await nextTurn()
  }
}

function* batchesOf(chunks: Iterable<Chunk>): Generator<Chunk> {
  let batch = ''
  let size = 0
  let wanted = 1
  for (const chunk of chunks) {
    const isText = typeof chunk === 'string'
    if (isText) {
      batch += chunk
      size++
    }
    // Bytes come after the text before them.
    if (size >= (isText ? wanted : 1)) {
      yield batch
      batch = ''
      size = 0
      wanted = BATCH
    }
    if (!isText) yield chunk
  }
  if (size > 0) yield batch
}

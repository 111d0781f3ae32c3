import { nextTurn } from '../clock/wall.js'

const BATCH = 128

/**
 * Joins the chunks of an answer into fewer writes. Chunks that arrive over time pass through unchanged.
 * Of chunks that exist already, the first one leaves alone, and then `BATCH` at a time, each in a turn
 * of the event loop: one write for each chunk takes longer, and all in one turn would block other
 * requests.
 */
export async function* batchChunks(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  if (Symbol.asyncIterator in chunks) return yield* chunks
  let batch = ''
  let size = 0
  let wanted = 1
  for (const chunk of chunks) {
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

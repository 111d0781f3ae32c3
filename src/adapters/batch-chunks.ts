import { nextTurn } from '../clock/wall.js'

const BATCH = 128

/**
 * Chunks as they come. Where all are there already, the first goes out alone and at once, and then so
 * many at a time, a turn of the event loop apart: a write for each of them would take longer, and all
 * in one turn would let nobody else have one.
 */
export async function* inBatches(
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

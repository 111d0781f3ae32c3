import type { Chunk, Chunks } from '../contract/exchange.js'
import type { ResponseRecord } from './journal-records.js'

/** Where the chunks of a stream are recorded. */
export interface Recording {
  response: ResponseRecord
  /** Called after the last chunk, or when the client leaves. */
  end: () => void
  /** Called if the chunks break off. */
  failed: (error: unknown) => void
}

/** Passes chunks on, and records each. Chunks that exist already are passed on at once. */
export function recorded(chunks: Chunks, recording: Recording): Chunks {
  return Symbol.asyncIterator in chunks
    ? recordedLater(chunks, recording)
    : new RecordedNow(chunks, recording)
}

/** Not a generator, which takes longer for each of thousands of chunks. */
class RecordedNow implements IterableIterator<Chunk> {
  readonly #chunks: Iterator<Chunk>
  readonly #recording: Recording

  constructor(chunks: Iterable<Chunk>, recording: Recording) {
    this.#chunks = chunks[Symbol.iterator]()
    this.#recording = recording
  }

  next(): IteratorResult<Chunk> {
    try {
      const result = this.#chunks.next()
      if (result.done) this.#recording.end()
      else this.#recording.response.add(result.value)
      return result
    } catch (error) {
      this.#recording.end()
      this.#recording.failed(error)
      throw error
    }
  }

  return(): IteratorResult<Chunk> {
    this.#recording.end()
    return this.#chunks.return?.() ?? { done: true, value: undefined }
  }

  [Symbol.iterator](): this {
    return this
  }
}

async function* recordedLater(
  chunks: AsyncIterable<Chunk>,
  { response, end, failed }: Recording,
): AsyncGenerator<Chunk> {
  try {
    for await (const chunk of chunks) {
      response.add(chunk)
      yield chunk
    }
  } catch (error) {
    failed(error)
    throw error
  } finally {
    end()
  }
}

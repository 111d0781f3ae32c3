import { nextTurn } from '../../base/clock/wall.js'
import { failingWith } from '../../base/text/background-errors.js'
import type { Chunk, Outcome } from '../../service/contract/exchange.js'
import { batchChunks } from './batch-chunks.js'

export type Answer = Extract<Outcome, { kind: 'response' | 'stream' }>

/** The statuses whose responses have no body. */
export const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/** Makes the response of a fetch function to this request. */
export function toResponse(outcome: Answer, request: Request): Response {
  const { status, headers } = outcome
  const bodiless = request.method === 'HEAD' || WITHOUT_BODY.includes(status)
  return new Response(bodiless ? null : bodyOf(outcome, request), { status, headers })
}

function bodyOf(outcome: Answer, request: Request): string | ReadableStream<Uint8Array> {
  return outcome.kind === 'response' ? outcome.body : readable(outcome, request)
}

function readable(
  { chunks, leave = () => {} }: Answer & { kind: 'stream' },
  request: Request,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const encode = (chunk: Chunk): Uint8Array => {
    return typeof chunk === 'string' ? encoder.encode(chunk) : chunk
  }
  const iterator = (async function* () {
    try {
      for await (const chunk of batchChunks(chunks)) yield encode(chunk)
    } catch (cause) {
      // The head and the chunks before that still arrive.
      await nextTurn()
      // The error of Node's fetch when an answer breaks off.
      throw new TypeError('terminated', { cause })
    }
  })()
  let abort = (): void => {}
  const done = (): void => request.signal.removeEventListener('abort', abort)
  return new ReadableStream({
    start(controller) {
      const fail = (error: unknown): void => controller.error(error)
      abort = failingWith(fail, () => {
        fail(request.signal.reason)
        leave()
        // The journal has its error.
        iterator.return().catch(() => {})
      })
      if (request.signal.aborted) abort()
      else request.signal.addEventListener('abort', abort, { once: true })
    },
    async pull(controller) {
      const { done: over, value } = await iterator.next()
      if (request.signal.aborted) return
      if (!over) return controller.enqueue(value)
      done()
      controller.close()
    },
    async cancel() {
      done()
      leave()
      await iterator.return()
    },
  })
}

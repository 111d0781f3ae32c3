import type { IncomingMessage } from 'node:http'
import { failingWith } from '../../base/text/background-errors.js'
import type { ContentReceiver } from '../../service/contract/content.js'
import { BODY_LIMIT, EMPTY_BODY } from '../../service/contract/exchange.js'

export type Body = Uint8Array | 'too-large'

interface Reading<Done> {
  readonly done: Done
  /** Takes what a callback throws. */
  readonly broken: (error: Error) => void
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Reads the raw bytes of a body. If the client disconnects before the end, `done` is never called. */
export function readBody(
  request: IncomingMessage & { body?: unknown },
  limit: number = BODY_LIMIT,
  { done, broken }: Reading<(body: Body) => void>,
): void {
  if (!hasBody(request)) return done(EMPTY_BODY)
  const announced = request.headers['content-length']
  // In a user's Express app, a body parser may have read the body. Only its result is left.
  if (request.readableEnded) return done(serializedAgain(request.body))
  const chunks: Buffer[] = []
  let length = 0
  let refused = false
  const refuse = (): void => {
    refused = true
    chunks.length = 0
    done('too-large')
  }
  // The rest of a body that is too large is discarded: if the connection closed while the client still
  // writes, the client would lose the answer. Node ends a request that takes more than five minutes.
  const take = failingWith(broken, (chunk: Buffer) => {
    if (refused) return
    length += chunk.length
    if (length > limit) refuse()
    else chunks.push(chunk)
  })
  const end = failingWith(broken, () => {
    if (!refused) done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
  })
  request.on('data', take)
  request.on('end', end)
  request.on('error', () => {})
  if (Number(announced) > limit) refuse()
}

/**
 * Passes the body of a request on as it comes. Calls `done` once: when all of it is there, when no more is wanted, or
 * when the client disconnects. The rest of a body that is not wanted is discarded, as in `readBody`.
 */
export function receiveContent(
  request: IncomingMessage,
  content: ContentReceiver,
  { done, broken }: Reading<() => void>,
): void {
  let isOver = false
  const over = (): void => {
    if (isOver) return
    isOver = true
    done()
  }
  const take = failingWith(broken, (chunk: Buffer) => {
    if (!isOver && !content.write(chunk)) over()
  })
  const end = failingWith(broken, () => {
    if (!isOver) content.end().then(over, broken)
  })
  request.on('data', take)
  request.on('end', end)
  // It is emitted, with an error or without, when a client disconnects before the end.
  const close = failingWith(broken, () => {
    if (isOver || request.complete) return
    content.breakOff()
    over()
  })
  request.on('close', close)
  request.on('error', () => {})
  if (content.problem) over()
}

function serializedAgain(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return EMPTY_BODY
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

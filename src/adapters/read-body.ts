import type { IncomingMessage } from 'node:http'
import { BODY_LIMIT, EMPTY_BODY } from '../contract/exchange.js'

type Body = Uint8Array | 'too-large'

/** Reads the raw bytes. A client that vanishes before it has said everything said nothing. */
export function readBody(
  request: IncomingMessage & { body?: unknown },
  limit: number = BODY_LIMIT,
  done: (body: Body) => void,
): void {
  const { headers } = request
  const announced = headers['content-length']
  if (announced === undefined && headers['transfer-encoding'] === undefined) return done(EMPTY_BODY)
  // A body parser ran before us (in somebody's own Express app): its result is all that is left.
  if (request.readableEnded) return done(reserialised(request.body))
  const chunks: Buffer[] = []
  let length = 0
  let refused = false
  const refuse = (): void => {
    refused = true
    chunks.length = 0
    done('too-large')
  }
  // Of a body that is too large the rest passes by unread: closing the connection while the client
  // still writes would cost it the answer. Node ends what has not arrived after five minutes.
  request.on('data', (chunk: Buffer) => {
    if (refused) return
    length += chunk.length
    if (length > limit) refuse()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (!refused) done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
  })
  request.on('error', () => {})
  if (Number(announced) > limit) refuse()
}

function reserialised(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return EMPTY_BODY
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

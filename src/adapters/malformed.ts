import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../contract/errors.js'
import type { Host } from '../contract/exchange.js'

/** Answers what is no HTTP at all, or never became a whole request, like any other bad request. */
export function answerMalformed(error: NodeJS.ErrnoException, host: Host, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  const { status, message } = refusals[error.code ?? ''] ?? INVALID
  const body = JSON.stringify(new ApiError(status, message).bodyFor(host))
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'connection: close',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

const INVALID = { status: 400, message: 'Invalid HTTP request' }

const refusals: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'Request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'Request took too long to arrive' },
}

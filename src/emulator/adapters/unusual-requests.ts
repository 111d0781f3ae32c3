import {
  ServerResponse,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Host } from '../../service/contract/exchange.js'
import { INVALID_REQUEST } from './node-http.js'
import { hasBody } from './request-body.js'

/** Makes what Node treats apart a request like any other, and answers what is not HTTP. */
export function answerUnusual(server: Server, api: Host, background: BackgroundErrors): void {
  const listener = background.callback<Parameters<RequestListener>>('take a request', (...call) => {
    server.emit('request', ...call)
  })
  const on = (event: string, work: (...given: never[]) => void): void => {
    server.on(event, background.callback(`answer ${event}`, work as (...given: unknown[]) => void))
  }
  on('clientError', (error: Error, socket: Duplex) => answerMalformed(error, api, socket))
  // The server of the framework ignores an `Expect` that it does not know, and serves `CONNECT` like any method.
  server.on('checkExpectation', listener)
  on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (hasBody(request)) response.writeContinue()
    listener(request, response)
  })
  on('connect', (request: IncomingMessage, socket: Duplex) => {
    answerConnect(listener, request, socket)
  })
}

/** Answers a `CONNECT` request, which asks for a tunnel. Its connection is closed after the answer. */
function answerConnect(listener: RequestListener, request: IncomingMessage, socket: Duplex): void {
  // Node handles the errors of all other connections. One that nobody handles would end the process.
  socket.on('error', () => socket.destroy())
  // What is sent for the tunnel is dropped: unread, it would hide that the client left.
  socket.resume().once('end', () => socket.end())
  // An authority, such as `example.test:443`, is not a path.
  if (!request.url?.startsWith('/')) return writeRefusal(socket, INVALID_REQUEST)
  // What follows the headers belongs to the tunnel, so it is not a body.
  delete request.headers['content-length']
  delete request.headers['transfer-encoding']
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  listener(request, response)
}

/** Answers bytes that aren't HTTP as the server of the framework does, and other bad requests in JSON. */
function answerMalformed(error: NodeJS.ErrnoException, host: Host, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  // What follows the last request of a connection is ignored. The answer to that request closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return
  writeRefusal(socket, refusalOf(error.code ?? '', host))
}

/** Writes a whole answer to a connection that has no response of Node, and ends it. */
export function writeRefusal(
  socket: Duplex,
  { status, reason = STATUS_CODES[status], headers, body }: WrittenRefusal,
): void {
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

interface WrittenRefusal {
  status: number
  /** Default: the usual one of the status. */
  reason?: string
  headers: Readonly<Record<string, string>>
  body: string
}

function refusalOf(code: string, host: Host): WrittenRefusal {
  const refusal = refusals[code]
  if (!refusal) return INVALID_REQUEST
  const { status, message } = refusal
  return {
    status,
    headers: { connection: 'close', 'content-type': 'application/json' },
    body: JSON.stringify(new ApiError(status, message).bodyFor(host)),
  }
}

const refusals: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'Request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'Request took too long to arrive' },
}

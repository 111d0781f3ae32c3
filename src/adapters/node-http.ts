import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { isLoopback } from '../text/authority.js'
import { isControlPath } from '../control/control-path.js'
import {
  BODY_LIMIT,
  EMPTY_BODY,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../contract/exchange.js'
import { batchChunks } from './batch-chunks.js'
import type { Write } from './coalesce-writes.js'

/** Answers one request to a host. */
export type Handler = (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The largest body that is read, in bytes. Default: `BODY_LIMIT`. */
  bodyLimit?: number
  /** Writes the answer. Default: immediately. */
  send?: Write
}

/** Answers one request of a Node server. It never throws, even if the client disconnects. */
export function answer(handler: Handler, host: Host, exchange: Exchange): void {
  const { request, response, bodyLimit, send = write } = exchange
  readBody(request, bodyLimit, (body) => {
    const [path, query] = splitTarget(request.url ?? '/')
    const outcome = handler(host, {
      method: request.method ?? 'GET',
      base: baseOf(request),
      path,
      query,
      headers: request.headers as ApiRequest['headers'],
      body,
      ...(isControlPath(path) && { distant: isDistant(request) }),
    })
    if (outcome instanceof Promise) void outcome.then((settled) => send(response, settled))
    else send(response, outcome)
  })
}

function isDistant({ socket }: IncomingMessage): boolean {
  const { remoteAddress } = socket
  return remoteAddress !== undefined && !isLoopback(remoteAddress)
}

function splitTarget(target: string): [path: string, query: string] {
  // A request to a proxy has the whole URL. Only its path matters here.
  const local = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  return [path || '/', mark === -1 ? '' : local.slice(mark + 1)]
}

function baseOf(request: IncomingMessage & { baseUrl?: string; protocol?: string }): string {
  const { headers, socket, baseUrl = '' } = request
  // Express sets `protocol`, which may come from a proxy, and `baseUrl`, the mount point.
  const scheme = request.protocol ?? ((socket as Partial<TLSSocket>).encrypted ? 'https' : 'http')
  return `${scheme}://${headers.host ?? 'localhost'}${baseUrl}`
}

/** Writes an outcome to a response. */
export function write(response: ServerResponse, outcome: Outcome): void {
  // Middleware may answer and call `next` as well. The first answer counts.
  if (response.headersSent) return
  if (outcome.kind === 'stream') return void writeStream(response, outcome)
  if (outcome.kind === 'disconnect') return void response.destroy()
  if (outcome.kind === 'hang') return hang(response, outcome)
  const { status, headers, body } = outcome
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}

function hang(response: ServerResponse, { until, leave }: Outcome & { kind: 'hang' }): void {
  void until.then(() => response.destroy())
  // The client may have disconnected already.
  if (response.closed) leave()
  else response.once('close', leave)
}

async function writeStream(
  response: ServerResponse,
  { status, headers, chunks, leave }: Outcome & { kind: 'stream' },
): Promise<void> {
  if (leave) response.once('close', leave)
  response.writeHead(status, headers)
  try {
    // The client may have disconnected already.
    if (response.closed) leave?.()
    for await (const chunk of batchChunks(chunks)) {
      if (response.destroyed) return
      if (!response.write(chunk)) await drained(response)
    }
    response.end()
  } catch {
    // An answer that broke off must not look complete. The chunks before that still arrive.
    response.socket?.destroySoon()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

type Body = Uint8Array | 'too-large'

/** Reads the raw bytes of a body. If the client disconnects before the end, `done` is never called. */
function readBody(
  request: IncomingMessage & { body?: unknown },
  limit: number = BODY_LIMIT,
  done: (body: Body) => void,
): void {
  const { headers } = request
  const announced = headers['content-length']
  if (announced === undefined && headers['transfer-encoding'] === undefined) return done(EMPTY_BODY)
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

function serializedAgain(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return EMPTY_BODY
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { isLoopback } from '../../base/text/near-address.js'
import { isControlPath } from '../control/control-path.js'
import {
  BODY_LIMIT,
  EMPTY_BODY,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../../service/contract/exchange.js'
import type { ApiError } from '../../service/contract/errors.js'
import type { ContentReceiver, ReceiveContent } from '../../service/contract/content.js'
import { failingWith, type BackgroundErrors } from '../../base/text/background-errors.js'
import { nextTurn } from '../../base/clock/wall.js'
import { batchChunks } from './batch-chunks.js'
import type { Write } from './coalesce-writes.js'

/** Answers one request to a host. */
export type Handler = (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The largest body that is read, in bytes. Default: `BODY_LIMIT`. */
  bodyLimit?: number
  /** Takes contents that are uploaded. Default: all bodies are read into memory. */
  receive?: ReceiveContent | undefined
  /** Writes the answer. Default: immediately. */
  send?: Write
  /** Takes the error of an answer that cannot be made or written. */
  background?: BackgroundErrors | undefined
}

/** Answers one request of a Node server. It never throws, even if the client disconnects. */
export function answer(handler: Handler, host: Host, exchange: Exchange): void {
  const { request, response, bodyLimit, background, send = safeWrite(background) } = exchange
  const target = splitTarget(request.url ?? '/')
  if (!target) return refuseTarget(exchange)
  const [path, query] = target
  // No spread: on Node 20, it takes longer than all else here.
  const call: ApiRequest = {
    method: request.method ?? 'GET',
    base: baseOf(request),
    path,
    query,
    headers: request.headers as ApiRequest['headers'],
    body: EMPTY_BODY,
  }
  if (isControlPath(path)) call.distant = isDistant(request)
  const answered = (body: Body, content?: ContentReceiver): void => {
    const finish = (outcome: Outcome): void => {
      content?.discard()
      send(response, outcome)
    }
    const failed = (error: unknown): void => {
      background?.report(`answer ${request.method} ${path}`, error)
      finish(INTERNAL_ERROR)
    }
    call.body = body
    if (content) call.content = content
    try {
      const outcome = handler(host, call)
      if (outcome instanceof Promise) outcome.then(finish, failed)
      else finish(outcome)
    } catch (error) {
      failed(error)
    }
  }
  // In a user's Express app, a body parser may have read the body.
  const isUnread = hasBody(request) && !request.readableEnded
  const content = isUnread ? exchange.receive?.(host, call) : undefined
  const broken = (error: Error): void => {
    background?.report(`read the body of ${request.method} ${path}`, error)
    request.destroy()
  }
  if (content)
    receiveContent(request, content, { done: () => answered(EMPTY_BODY, content), broken })
  else readBody(request, bodyLimit, { done: answered, broken })
}

/** The answer to a call whose handler failed. */
const INTERNAL_ERROR: Outcome = {
  kind: 'response',
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'Internal Server Error',
}

function isDistant({ socket }: IncomingMessage): boolean {
  const { remoteAddress } = socket
  return remoteAddress !== undefined && !isLoopback(remoteAddress)
}

/** The refusal of bytes that are not HTTP, as the server of the framework writes it. */
export const INVALID_REQUEST = {
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: 'Invalid HTTP request received.',
} as const

/** Writes an error as the API of a host has it. */
export function writeError(response: ServerResponse, error: ApiError, host: Host): void {
  const body = JSON.stringify(error.bodyFor(host))
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(error.status, headers).end(body)
}

function refuseTarget({ request, response, send = write }: Exchange): void {
  request.resume()
  send(response, { kind: 'response', ...INVALID_REQUEST })
}

/** Splits the target of a request as the server of the framework does. Undefined if it refuses the target. */
function splitTarget(whole: string): [path: string, query: string] | undefined {
  const hash = whole.indexOf('#')
  const target = hash === -1 ? whole : whole.slice(0, hash)
  // A request to a proxy has the whole URL. Only its path matters here.
  const local = target.startsWith('/') ? target : withoutOrigin(target)
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  if (!isPath(path)) return undefined
  return [path, mark === -1 ? '' : local.slice(mark + 1)]
}

function withoutOrigin(target: string): string {
  const [origin = '', port = '0'] = ORIGIN.exec(target) ?? []
  return Number(port) < 65_536 ? target.slice(origin.length) : ''
}

const ORIGIN =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?:[\]]+|[^/?]*@[^/?:]+|[^/?]*\[[^/?\]]*\])(?::(\d*))?(?=[/?])/i

/** Answers requests whose target is not valid. Undefined for all others, which `listener` answers. */
export function checkTarget(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { url = '/' } = request
    if (url.startsWith('/') || splitTarget(url)) listener(request, response)
    else refuseTarget({ request, response })
  }
}

/** `OPTIONS *` has a path too. Only ASCII characters are in one. */
function isPath(path: string): boolean {
  return (path.startsWith('/') || path === '*') && /^[\0-\x7f]*$/.test(path)
}

function baseOf(request: IncomingMessage & { baseUrl?: string; protocol?: string }): string {
  const { headers, socket, baseUrl = '' } = request
  // Express sets `protocol`, which may come from a proxy, and `baseUrl`, the mount point.
  const scheme = request.protocol ?? ((socket as Partial<TLSSocket>).encrypted ? 'https' : 'http')
  return `${scheme}://${authorityOf(headers.host) ?? addressOf(socket)}${baseUrl}`
}

/** The host and the port of a `Host` header. Undefined without a header, or if it is not valid. */
function authorityOf(header: string | undefined): string | undefined {
  const [, port = '0'] = AUTHORITY.exec(header ?? '') ?? [undefined, '65536']
  return Number(port) < 65_536 ? header : undefined
}

const AUTHORITY = /^(?:[\w.~%!$&'()*+,;=-]+|\[[a-f0-9:.]+\])(?::(\d+))?$/i

/** The address that received the request. */
function addressOf({ localAddress = 'localhost', localPort }: IncomingMessage['socket']): string {
  const host = localAddress.replace(/^::ffff:/, '')
  const name = host.includes(':') ? `[${host}]` : host
  return localPort === undefined ? name : `${name}:${localPort}`
}

/**
 * Returns a function that writes like `write`, also an outcome that cannot be written, for example because of an
 * invalid header. The client gets a 500 instead.
 */
export function safeWrite(background: BackgroundErrors | undefined): Write {
  return (response, outcome) => {
    try {
      write(response, outcome)
    } catch (error) {
      const { method, url = '' } = response.req
      background?.report(`write the answer to ${method} ${url.split('?', 1)[0]}`, error)
      if (response.headersSent) response.destroy()
      else write(response, INTERNAL_ERROR)
    }
  }
}

/** Writes an outcome to a response. */
export function write(response: ServerResponse, outcome: Outcome): void {
  // Middleware may answer and call `next` as well. The first answer counts.
  if (response.headersSent) return
  if (outcome.kind === 'stream') {
    const { leave } = outcome
    if (leave) response.once('close', failingWith(ignored, leave))
    response.writeHead(outcome.status, outcome.headers)
    return void writeStream(response, outcome)
  }
  if (outcome.kind === 'disconnect') return void response.destroy()
  if (outcome.kind === 'hang') return hang(response, outcome)
  const { status, headers, body } = outcome
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}

/** The client is gone. */
function ignored(): void {}

function hang(response: ServerResponse, { until, leave }: Outcome & { kind: 'hang' }): void {
  void until.then(() => response.destroy())
  // The client may have disconnected already.
  if (response.closed) leave()
  else response.once('close', failingWith(ignored, leave))
}

async function writeStream(
  response: ServerResponse,
  { chunks, leave }: Outcome & { kind: 'stream' },
): Promise<void> {
  try {
    // The client may have disconnected already.
    if (response.closed) leave?.()
    for await (const chunk of batchChunks(chunks)) {
      if (response.destroyed) return
      if (!response.write(chunk)) await drained(response)
    }
    response.end()
  } catch {
    // The journal says why. An answer that broke off must not look complete. Its head and the chunks before that
    // still arrive: Node writes them when this turn ends.
    response.flushHeaders()
    await nextTurn()
    response.socket?.destroySoon()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

type Body = Uint8Array | 'too-large'

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
function readBody(
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
function receiveContent(
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

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isLoopback } from '../../base/text/near-address.js'
import { isControlPath } from '../control/control-path.js'
import {
  EMPTY_BODY,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../../service/contract/exchange.js'
import type { ApiError } from '../../service/contract/errors.js'
import type { ContentReceiver, ReceiveContent } from '../../service/contract/content.js'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { Write } from './coalesce-writes.js'
import { hasBody, readBody, receiveContent, type Body } from './request-body.js'
import { baseOf, splitTarget } from './request-target.js'
import { INTERNAL_ERROR, safeWrite, write } from './write-outcome.js'

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

/** Answers requests whose target is not valid. Undefined for all others, which `listener` answers. */
export function checkTarget(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { url = '/' } = request
    if (url.startsWith('/') || splitTarget(url)) listener(request, response)
    else refuseTarget({ request, response })
  }
}

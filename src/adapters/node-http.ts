import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  BODY_LIMIT,
  EMPTY_BODY,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../contract/exchange.js'

/** The core, as an adapter sees it. */
export type Handler = (host: Host, request: ApiRequest) => Promise<Outcome>

/** Answers one request of a Node server. Nothing is thrown: a vanished client is just gone. */
export function answer(
  handler: Handler,
  host: Host,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  readBody(request, (body) => {
    const [path, query] = splitTarget(request.url ?? '/')
    void handler(host, {
      method: request.method ?? 'GET',
      base: baseOf(request),
      path,
      query,
      headers: request.headers as ApiRequest['headers'],
      body,
    }).then((outcome) => {
      // What is left of an oversized body is not read, so the connection cannot serve again.
      if (body === 'too-large') response.shouldKeepAlive = false
      write(response, outcome)
    })
  })
}

function splitTarget(target: string): [path: string, query: string] {
  // A proxy-style request names the whole URL; only its path matters here.
  const start = target.startsWith('/')
    ? 0
    : Math.max(0, target.indexOf('/', target.indexOf('//') + 2))
  const mark = target.indexOf('?', start)
  return mark === -1
    ? [target.slice(start), '']
    : [target.slice(start, mark), target.slice(mark + 1)]
}

function baseOf(request: IncomingMessage & { baseUrl?: string }): string {
  // `baseUrl` is Express's name for the path under which the handler is mounted.
  return `http://${request.headers.host ?? 'localhost'}${request.baseUrl ?? ''}`
}

function readBody(
  request: IncomingMessage & { body?: unknown },
  done: (body: Uint8Array | 'too-large') => void,
): void {
  const { headers } = request
  const announced = headers['content-length']
  if (announced === undefined && headers['transfer-encoding'] === undefined) return done(EMPTY_BODY)
  if (Number(announced) > BODY_LIMIT) return done('too-large')
  // A body parser ran before us (in somebody's own Express app): its result is all that is left.
  if (request.readableEnded) return done(reserialised(request.body))
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > BODY_LIMIT) {
      request.removeAllListeners('data').removeAllListeners('end').pause()
      done('too-large')
    } else chunks.push(chunk)
  })
  request.on('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)))
  // A client that vanishes before it has said everything said nothing.
  request.on('error', () => {})
}

function reserialised(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return EMPTY_BODY
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function write(response: ServerResponse, outcome: Outcome): void {
  if (outcome.kind === 'stream') return void writeStream(response, outcome)
  const { status, headers, body } = outcome
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

async function writeStream(
  response: ServerResponse,
  { status, headers, chunks }: Outcome & { kind: 'stream' },
): Promise<void> {
  response.writeHead(status, headers)
  for await (const chunk of chunks) {
    if (response.destroyed) return
    if (!response.write(chunk)) await drained(response)
  }
  response.end()
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

import {
  request as requestHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import { connectionHeaders } from '../adapters/connection-headers.js'
import { writeText } from './answer.js'
import type { CalledHosts } from './called-hosts.js'
import { authorizationFor, type Destination, type Outside } from './outside.js'
import { ESTABLISHED, refuseTunnel } from './tunnel.js'

/** A way to a host that is not intercepted. */
export interface Way {
  readonly to: Destination
  readonly outside: Outside
  /** Whether it is to another program on the machine of the client. */
  readonly isOwn: boolean
}

interface PassageParts {
  /** Where calls are counted now. */
  readonly called: () => CalledHosts
  readonly background: BackgroundErrors
  /** Closes a connection together with the proxy. */
  readonly track: (socket: Duplex) => void
}

/** Passes calls on to hosts that are not intercepted. */
export class Passage {
  readonly #parts: PassageParts

  constructor(parts: PassageParts) {
    this.#parts = parts
  }

  /** Connects a client with an allowed host. */
  async tunnel(socket: Duplex, way: Way): Promise<void> {
    try {
      const beyond = await way.outside.connect(way.to)
      this.#parts.track(beyond)
      if (socket.destroyed) return void beyond.destroy()
      this.#passed(way)
      socket.once('close', () => beyond.destroy())
      beyond.once('close', () => socket.destroy())
      socket.write(ESTABLISHED)
      socket.pipe(beyond).pipe(socket)
    } catch (error) {
      refuseTunnel(socket, 502, this.#unreachable(way, error))
    }
  }

  #passed({ to, isOwn }: Way): void {
    if (!isOwn) this.#parts.called().count(to.hostname, 'passed')
  }

  /** Notes why a host cannot be reached, and says it. */
  #unreachable({ to: { hostname }, isOwn }: Way, error: unknown): string {
    const why = (error as Error).message
    if (!isOwn) this.#parts.called().failed(hostname, why)
    return `svtrain-emulator cannot reach ${hostname}: ${why}`
  }

  /** Passes on a call without a tunnel. */
  async call(way: Way, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const failed = this.#parts.background.callback('say why a call failed', (error: unknown) => {
      const text = this.#unreachable(way, error)
      // Without a proxy, the client would get no answer either.
      if (response.headersSent || way.isOwn) response.destroy()
      else writeText(response, 502, text)
    })
    const connection = await way.outside.connectPlain(way.to).catch(failed)
    if (!connection) return
    const { socket, proxy } = connection
    this.#parts.track(socket)
    if (response.destroyed) return void socket.destroy()
    const { method, url = '', headers } = request
    const { host } = new URL(url)
    const forwarded = requestHttp({
      method,
      headers: { ...endToEnd(headers), host, ...(proxy && authorizationFor(proxy)) },
      path: proxy ? url : withoutOrigin(url),
      createConnection: () => socket,
    })
    const answered = this.#parts.background.callback(
      'pass an answer on',
      (answer: IncomingMessage) => {
        this.#passed(way)
        const { statusCode = 502, headers: given } = answer
        const { 'transfer-encoding': _framing, ...shown } = endToEnd(given)
        response.writeHead(statusCode, shown)
        answer.on('error', failed)
        answer.pipe(response)
      },
    )
    forwarded.on('error', failed).once('response', answered)
    response.once('close', () => forwarded.destroy())
    request.pipe(forwarded)
  }
}

/**
 * The headers that are passed on. The framing of a body always is, also if `Connection` names it: without it, a body
 * would be the next call.
 */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const dropped = connectionHeaders(headers.connection, [])
  const framing = ['transfer-encoding', 'content-length']
  const passed = ([name]: [string, unknown]): boolean =>
    framing.includes(name) || !dropped.has(name)
  return Object.fromEntries(Object.entries(headers).filter(passed))
}

/** The path and the query of a URL, as they were written. */
export function withoutOrigin(url: string): string {
  const local = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return local.startsWith('/') ? local : `/${local}`
}

import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { Options, wholeNumber } from '../../base/text/options.js'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import { startBeat, wallNow } from '../../base/clock/wall.js'

/** The limits of a port for its clients. Times are in milliseconds of real time. */
export interface PortLimits {
  /** The time until all headers of a request have arrived, from the start of the connection. Default: 60,000. */
  headers: number
  /** The time until a request and its body have arrived. Default: 300,000. */
  request: number
  /** The time between two requests of a connection. Default: 75,000. */
  idle: number
  /** How long a client may read nothing of an answer that is ready. Default: 120,000. */
  stalled: number
  /** The size of the request line and the headers, in bytes. Default: 16,384. */
  headerBytes: number
  /** The number of open connections to an address. Further connections are closed. Default: 10,000. */
  connections: number
}

const limit = wholeNumber({ least: 1 })
export const portLimits = new Options<PortLimits>('listen', {
  headers: limit,
  request: limit,
  idle: limit,
  stalled: limit,
  headerBytes: limit,
  connections: limit,
})

export const PORT_LIMITS: PortLimits = {
  headers: 60_000,
  request: 300_000,
  // Clients with a pool keep idle connections for a minute. Closing one sooner races with its next call.
  idle: 75_000,
  stalled: 120_000,
  headerBytes: 16 * 1024,
  connections: 10_000,
}

/** How many times a connection is checked before a limit ends. */
const CHECKS = 4
const MOST_BETWEEN_CHECKS = 30_000

/** The options of Node's server for these limits. */
export function serverOptions({ headers, request, idle, headerBytes }: PortLimits): ServerOptions {
  return {
    headersTimeout: Math.min(headers, request),
    requestTimeout: request,
    keepAliveTimeout: idle,
    maxHeaderSize: headerBytes,
    // The server of the framework serves a request without a host. A web page always sends one.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(MOST_BETWEEN_CHECKS, headers / CHECKS, request / CHECKS),
  }
}

/**
 * Closes connections whose client doesn't read an answer that is ready. Answers that aren't ready, such
 * as delayed and hanging ones, may take any time. A socket timeout of Node would end them too, and make
 * each request a sixth slower. So all connections are checked at intervals.
 *
 * @returns The open connections, also later.
 */
export function guard(
  server: Server,
  { stalled, connections }: PortLimits,
  background: BackgroundErrors,
): ReadonlyMap<Socket, unknown> {
  server.maxConnections = connections
  // Node would drop the headers after the first 1,000, and the body with them. The limit of bytes is enough.
  server.maxHeadersCount = 0
  const open = new Map<Socket, Waiting>()
  let stop: (() => void) | undefined
  const check = background.callback('close connections that stall', () => {
    for (const [each, waiting] of open) cutOff(each, waiting, stalled)
  })
  const take = background.callback('watch a connection', (socket: Socket) => {
    open.set(socket, { taken: 0, since: wallNow() })
    stop ??= startBeat(Math.min(MOST_BETWEEN_CHECKS, stalled / CHECKS), check)
    const forget = background.callback('forget a connection', () => {
      open.delete(socket)
      if (open.size > 0) return
      stop?.()
      stop = undefined
    })
    socket.once('close', forget)
  })
  server.on('connection', take)
  return open
}

interface Waiting {
  /** How many bytes the client had read when it last read some, or when no answer was ready. */
  taken: number
  /** The real time of that moment. */
  since: number
}

function cutOff(socket: Socket, waiting: Waiting, stalled: number): void {
  const taken = socket.bytesWritten - socket.writableLength
  if (socket.writableLength === 0 || taken !== waiting.taken) {
    waiting.taken = taken
    waiting.since = wallNow()
  } else if (wallNow() - waiting.since >= stalled) {
    socket.destroy()
  }
}

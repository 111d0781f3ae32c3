import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { Options, wholeNumber } from '../text/options.js'
import { startBeat, wallNow } from '../clock/wall.js'

/** What a client may take of a port: milliseconds of real time, bytes, and connections. */
export interface PortLimits {
  /** Until all headers of a request are there, from the beginning of the connection. */
  headers: number
  /** Until a request is there with its body. */
  request: number
  /** Between two requests of a connection. */
  idle: number
  /** For which a client may take nothing of an answer that waits for it. */
  stalled: number
  /** Bytes of a request's line and headers. */
  headerBytes: number
  /** Connections at once to an address; a further one is closed. */
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
  // Pooled clients keep idle connections for a minute; closing them sooner races their next call.
  idle: 75_000,
  stalled: 120_000,
  headerBytes: 16 * 1024,
  connections: 10_000,
}

/** How often connections are looked at that are too slow, as a part of the shortest limit. */
const CHECKS = 4
const MOST_BETWEEN_CHECKS = 30_000

/** What Node's server is made with for these limits. */
export function serverOptions({ headers, request, idle, headerBytes }: PortLimits): ServerOptions {
  return {
    headersTimeout: Math.min(headers, request),
    requestTimeout: request,
    keepAliveTimeout: idle,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: Math.min(MOST_BETWEEN_CHECKS, headers / CHECKS, request / CHECKS),
  }
}

/**
 * Closes connections whose client takes nothing of what is there for it. Answers that wait for the
 * world, as one that hangs does, may wait as long as they like. All connections are looked at from
 * time to time, because a timeout of Node's costs each request a sixth of its time.
 */
export function guard(server: Server, { stalled, connections }: PortLimits): void {
  server.maxConnections = connections
  const open = new Map<Socket, Waiting>()
  let stop: (() => void) | undefined
  server.on('connection', (socket: Socket) => {
    open.set(socket, { taken: 0, since: wallNow() })
    stop ??= startBeat(Math.min(MOST_BETWEEN_CHECKS, stalled / CHECKS), () => {
      for (const [each, waiting] of open) cutOff(each, waiting, stalled)
    })
    socket.once('close', () => {
      open.delete(socket)
      if (open.size > 0) return
      stop?.()
      stop = undefined
    })
  })
}

interface Waiting {
  /** How many bytes the client had taken when it last took some, or nothing was there for it. */
  taken: number
  /** When that was, in real time. */
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

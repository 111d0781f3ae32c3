import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from '../../base/text/near-address.js'
import { BackgroundErrors, failingWith } from '../../base/text/background-errors.js'
import { cancelTimer, startTimer, type WallTimer } from '../../base/clock/wall.js'
import type { Host } from '../../service/contract/exchange.js'
import { bindBoth, closeBoth, portOf } from './bind.js'
import { createApp } from './port-app.js'
import type { ListenOptions } from './listen-options.js'
import { checkTarget, type Handler } from './node-http.js'
import { layersOf, type LayerOptions, type LayerParts } from './port-layers.js'
import { guard, PORT_LIMITS, serverOptions } from './port-limits.js'
import { urlOf } from './port-url.js'
import { portClosed, portOpened } from './port-watch.js'
import { answerUnusual } from './unusual-requests.js'

export interface PortOptions extends LayerOptions, LayerParts, Pick<ListenOptions, 'limits'> {
  host: string
  port: number
}

/**
 * Opens one port that answers as `api`.
 *
 * @throws {ListenError} When the port can't be bound.
 */
export async function openPort(handler: Handler, api: Host, options: PortOptions): Promise<Server> {
  const { server, answer } = await bindPort(handler, api, options)
  answer()
  return server
}

const WARNINGS = new BackgroundErrors({ show: ({ text }) => process.emitWarning(text) })

/** A port that is bound. */
export interface BoundPort {
  readonly server: Server
  /** Answers requests from now on, first those that have arrived. */
  readonly answer: () => void
}

/** Binds a port, whose requests wait until the caller says that it may answer. */
export async function bindPort(
  handler: Handler,
  api: Host,
  options: PortOptions,
): Promise<BoundPort> {
  const { host, port } = options
  const app = await createApp(await layersOf(handler, api, options))
  const limits = { ...PORT_LIMITS, ...options.limits }
  const server = createServer({ ...app.options, ...serverOptions(limits) })
  const { background = WARNINGS } = options
  const connections = guard(server, limits, background)
  connectionsOf.set(server, connections)
  answerUnusual(server, api, background)
  // Requests that arrive before that.
  const early: Parameters<RequestListener>[] = []
  const keep = background.callback<Parameters<RequestListener>>('keep a request', (...call) => {
    early.push(call)
  })
  const listener = background.callback('take a request', checkTarget(app.listener))
  server.on('request', keep)
  await bindBoth(server, { host, port, background })
  portOpened(server, {
    url: urlOf({ host, port: portOf(server) }),
    connections: () => connections.keys(),
    isKnown: port !== 0 || !isLoopback(host),
  })
  return {
    server,
    answer() {
      server.off('request', keep).on('request', listener)
      for (const call of early.splice(0)) server.emit('request', ...call)
    },
  }
}

/** The open connections of each server. */
const connectionsOf = new WeakMap<Server, ReadonlyMap<Socket, unknown>>()

const GRACE = 1000
const SWEEP = 10

/** Closes a port. Open answers get up to a second to finish. */
export function closePort(server: Server): Promise<void> {
  portClosed(server)
  return new Promise((resolve, reject) => {
    let timer: WallTimer | undefined
    const sweep = (left: number): void => {
      if (left <= 0) return dropAll(server)
      // After its answer, a connection is idle and would wait for another request.
      dropIdle(server)
      timer = startTimer(
        SWEEP,
        failingWith(reject, () => sweep(left - SWEEP)),
      )
    }
    void closeBoth(server).then(() => {
      cancelTimer(timer)
      resolve()
    })
    sweep(GRACE)
  })
}

function dropIdle(server: Server): void {
  server.closeIdleConnections()
  // Node does not count these as idle. Clients with a pool open one when a call is aborted.
  for (const socket of socketsOf(server)) if (socket.bytesRead === 0) socket.destroy()
}

function dropAll(server: Server): void {
  // Node no longer counts the connection of a tunnel.
  for (const socket of socketsOf(server)) socket.destroy()
  server.closeAllConnections()
}

function socketsOf(server: Server): Iterable<Socket> {
  return connectionsOf.get(server)?.keys() ?? []
}

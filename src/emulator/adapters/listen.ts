import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { aListedHost } from '../../base/text/authority.js'
import { isLoopback } from '../../base/text/near-address.js'
import { BackgroundErrors, failingWith } from '../../base/text/background-errors.js'
import { ownPorts } from '../../base/clock/lookout.js'
import { cancelTimer, startTimer, type WallTimer } from '../../base/clock/wall.js'
import {
  anyFunction,
  aPort,
  aSecret,
  listOf,
  nonEmptyText,
  Options,
  parts,
  type Table,
} from '../../base/text/options.js'
import type { Host } from '../../service/contract/exchange.js'
import { bindBoth, closeBoth, portOf } from './bind.js'
import { createApp } from './express.js'
import { checkTarget, type Handler } from './node-http.js'
import { layersOf, type LayerOptions, type LayerParts } from './port-layers.js'
import { guard, PORT_LIMITS, portLimits, serverOptions, type PortLimits } from './port-limits.js'
import { urlOf, type BoundPorts } from './port-url.js'
import { answerUnusual } from './unusual-requests.js'

/** The options of `emulator.listen()`. */
export interface ListenOptions extends LayerOptions {
  /**
   * The address to bind. Default: `127.0.0.1`, and `::1` too if the machine has IPv6, so that clients
   * reach it as `localhost`.
   */
  host?: string
  /** The port of the training API. Default: 0, any free port. */
  port?: number
  /** The port of the inference API. Default: 0, any free port. */
  inferencePort?: number
  /**
   * The token for calls of the control API that change something. Default: none on loopback, otherwise
   * a random one, `emulator.controlToken`.
   */
  controlToken?: string | undefined
  /** Limits for clients. Default: the defaults of `PortLimits`. */
  limits?: Partial<PortLimits>
}

/** A port that is open. */
export interface OpenPort {
  readonly url: string
  /** Its connections now. A client in this process may leave one open that it does not use. */
  readonly connections: () => Iterable<{ readonly bytesRead: number }>
}

/** What looks at the ports of this process. */
export interface PortWatch {
  /** Called when a port is open. */
  readonly add: (server: object, port: OpenPort) => void
  /** Called when somebody closes the port. */
  readonly delete: (server: object) => void
}

let watch: PortWatch | undefined

/** Tells `ports` of each port that opens in this process from now on. */
export function watchPorts(ports: PortWatch): void {
  watch = ports
}

type Reporting = Pick<LayerParts, 'background' | 'receive'>

/** The options of a port without a control API. */
export type OnePort = Omit<ListenOptions, 'inferencePort' | 'controlToken' | 'use'>

export const portTable: Table<OnePort> = {
  host: nonEmptyText,
  port: aPort,
  allowedHosts: listOf(aListedHost),
  corsOrigins: listOf(nonEmptyText),
  limits: parts(portLimits),
  refused: anyFunction,
}

export const listenOptions = new Options<ListenOptions>('listen', {
  ...portTable,
  inferencePort: aPort,
  controlToken: aSecret,
  use: listOf(anyFunction),
})

/** An emulator that listens. */
export interface Listening extends BoundPorts {
  /** Stops listening. Open answers get up to a second to finish. */
  close(): Promise<void>
}

/**
 * Opens a port for each of the two hosts. Resolves when both are ready.
 *
 * @throws {ListenError} When a port can't be bound.
 */
export async function listen(
  handler: Handler,
  options: ListenOptions & Reporting = {},
): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, inferencePort = 0 } = options
  const training = await bindPort(handler, 'training', {
    ...options,
    host,
    port,
    isControlled: true,
  })
  try {
    const rest = { ...options, host, port: inferencePort }
    const inference = await bindPort(handler, 'inference', rest)
    // Both are bound by now: a client that has an answer of one of them can use the other one.
    for (const bound of [training, inference]) bound.answer()
    return {
      host,
      port: portOf(training.server),
      inferencePort: portOf(inference.server),
      close: async () => {
        await Promise.all([closePort(training.server), closePort(inference.server)])
      },
    }
  } catch (error) {
    await closePort(training.server)
    throw error
  }
}

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
interface BoundPort {
  readonly server: Server
  /** Answers requests from now on, first those that have arrived. */
  readonly answer: () => void
}

async function bindPort(handler: Handler, api: Host, options: PortOptions): Promise<BoundPort> {
  const { host, port } = options
  const app = await createApp(await layersOf(handler, api, options))
  const limits = { ...PORT_LIMITS, ...options.limits }
  const server = createServer({ ...app.options, ...serverOptions(limits) })
  const { background = WARNINGS } = options
  const connections = guard(server, limits, background)
  connectionsOf.set(server, connections)
  answerUnusual(server, api, background)
  const early: Parameters<RequestListener>[] = []
  const keep = background.callback<Parameters<RequestListener>>('keep a request', (...call) => {
    early.push(call)
  })
  const listener = background.callback('take a request', checkTarget(app.listener))
  server.on('request', keep)
  await bindBoth(server, { host, port, background })
  const open = {
    url: urlOf({ host, port: portOf(server) }),
    connections: () => connections.keys(),
    isKnown: port !== 0 || !isLoopback(host),
  }
  ownPorts.set(server, open)
  watch?.add(server, open)
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
  ownPorts.delete(server)
  watch?.delete(server)
  const connections = connectionsOf.get(server) ?? new Map<Socket, unknown>()
  return new Promise((resolve, reject) => {
    let timer: WallTimer | undefined
    // After its answer, a connection is idle and would wait for another request.
    const sweep = (left: number): void => {
      if (left <= 0) {
        // Node no longer counts the connection of a tunnel.
        for (const socket of connections.keys()) socket.destroy()
        return server.closeAllConnections()
      }
      server.closeIdleConnections()
      // Node does not count these as idle. Clients with a pool open one when a call is aborted.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy()
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

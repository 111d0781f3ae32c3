import { createServer, STATUS_CODES, type Server } from 'node:http'
import {
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../contract/errors.js'
import { CONTROL_ROOT, isControlPath } from '../control/control-path.js'
import type { ControlAccess } from '../control/controlled.js'
import type { Host } from '../contract/exchange.js'
import {
  anyFunction,
  listOf,
  nonEmptyText,
  Options,
  parts,
  aPort,
  aSecret,
  type Table,
} from '../text/options.js'
import { newSecret } from '../random/secret.js'
import { isLoopback } from '../text/authority.js'
import { cancelTimer, startTimer, type WallTimer } from '../clock/wall.js'
import { dashboardFiles, isOfDashboard } from './dashboard-files.js'
import { createApp, expressHandler, type Layer, type Middleware } from './express.js'
import { createGate, type GateOptions } from './gate.js'
import type { Handler } from './node-http.js'
import { guard, PORT_LIMITS, portLimits, serverOptions, type PortLimits } from './port-limits.js'

export interface ListenOptions extends GateOptions {
  /**
   * The address to bind. Default: `127.0.0.1`, which binds `::1` as well if the machine has IPv6, so
   * that clients reach it by `localhost` whichever address they take that for.
   */
  host?: string
  /** 0, the default, takes any free port. */
  port?: number
  inferencePort?: number
  /**
   * What the control API asks of calls that change something. Default: none on loopback; else one that
   * is made up, `emulator.controlToken`.
   */
  controlToken?: string | undefined
  /** Express middleware that runs before the API, on both ports. */
  use?: readonly Middleware[]
  /** What a client may take of a port; see `PortLimits`. */
  limits?: Partial<PortLimits>
  /** Hears of requests that are refused because of their `Host` or `Origin`: no journal has them. */
  refused?: (refusal: Refusal) => void
}

/** What there is to say of a port without a control API. */
export type OnePort = Omit<ListenOptions, 'inferencePort' | 'controlToken' | 'use'>

export const portTable: Table<OnePort> = {
  host: nonEmptyText,
  port: aPort,
  allowedHosts: listOf(nonEmptyText),
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

/** A request that was refused before anything saw it. */
export interface Refusal {
  /** `GET /v1/health`. */
  readonly request: string
  readonly status: number
  readonly message: string
}

export interface Listening {
  /** The address and ports that are bound. */
  readonly host: string
  readonly port: number
  readonly inferencePort: number
  /** Stops listening; answers under way are finished first, for a second at most. */
  close(): Promise<void>
}

/** Raised where a port cannot be bound. Code `SVTRAIN_PORT_TAKEN` or `SVTRAIN_CANNOT_LISTEN`. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly code: 'SVTRAIN_PORT_TAKEN' | 'SVTRAIN_CANNOT_LISTEN'
  readonly port: number
  constructor({ host, port }: { host: string; port: number }, cause: NodeJS.ErrnoException) {
    const taken = cause.code === 'EADDRINUSE'
    super(
      taken
        ? `Failed to listen on port ${port} of ${host}: it is in use by another program.`
        : `Failed to listen on port ${port} of ${host}: ${cause.message}.`,
      { cause },
    )
    this.code = taken ? 'SVTRAIN_PORT_TAKEN' : 'SVTRAIN_CANNOT_LISTEN'
    this.port = port
  }
}

/** Opens a port for each of the two hosts. Resolves when both are ready. Raises `ListenError`. */
export async function listen(handler: Handler, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, inferencePort = 0 } = options
  const opening = new Opening(handler)
  const training = await openPort(opening.handler, 'training', {
    ...options,
    host,
    port,
    isControlled: true,
  })
  try {
    const rest = { ...options, host, port: inferencePort }
    const inference = await openPort(opening.handler, 'inference', rest)
    opening.over()
    return {
      host,
      port: portOf(training),
      inferencePort: portOf(inference),
      close: async () => void (await Promise.all([closePort(training), closePort(inference)])),
    }
  } catch (error) {
    await closePort(training)
    throw error
  }
}

/** Holds calls back that reach one port before the other is open: who is answered can use both. */
class Opening {
  #end: (() => void) | undefined
  readonly #ended = new Promise<void>((resolve) => (this.#end = resolve))
  readonly handler: Handler

  constructor(handler: Handler) {
    this.handler = (host, request) => {
      if (this.#end === undefined) return handler(host, request)
      return this.#ended.then(() => handler(host, request))
    }
  }

  over(): void {
    this.#end?.()
    this.#end = undefined
  }
}

export interface PortOptions extends Omit<ListenOptions, 'inferencePort'> {
  host: string
  port: number
  /** Whether the control API and its dashboard stand here. Default: false. */
  isControlled?: boolean
}

/** Opens one port, which answers as that host. Raises `ListenError`. */
export async function openPort(handler: Handler, api: Host, options: PortOptions): Promise<Server> {
  const { host, port } = options
  const app = await createApp(await layersOf(handler, api, options))
  const limits = { ...PORT_LIMITS, ...options.limits }
  const server = createServer({ ...app.options, ...serverOptions(limits) }, app.listener)
  guard(server, limits)
  server.on('clientError', (error, socket) => answerMalformed(error, api, socket))
  for (let left = TRIES; ; left--) {
    await bind(server, { host, port })
    if (host !== '127.0.0.1') return server
    try {
      await bindIpv6(server, limits)
      return server
    } catch (error) {
      await closed(server)
      if (port !== 0 || left === 1) throw error
    }
  }
}

/** How many free ports are tried until one is free for both IPv4 and IPv6. */
const TRIES = 10

/** Raises `ListenError`. */
function bind(server: NetServer, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError({ host, port }, error)))
    server.listen(port, host, resolve)
  })
}

/** Servers on `127.0.0.1`, and what listens on `::1` for them. */
const ipv6Of = new WeakMap<Server, NetServer>()

/** Takes connections on `::1`, if there is such an address. Raises `ListenError` if it is in use. */
async function bindIpv6(server: Server, { connections }: PortLimits): Promise<void> {
  const twin = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  twin.maxConnections = connections
  try {
    await bind(twin, { host: '::1', port: portOf(server) })
    ipv6Of.set(server, twin)
  } catch (error) {
    if ((error as ListenError).code === 'SVTRAIN_PORT_TAKEN') throw error
  }
}

/** What a request passes, from the wire to the API. */
async function layersOf(handler: Handler, api: Host, options: PortOptions): Promise<Layer[]> {
  const { corsOrigins = [], use = [], isControlled = false } = options
  const answer = expressHandler({ handle: handler }, api)
  return [
    { handle: gateLayer(api, options) },
    ...(corsOrigins.length > 0 ? [{ handle: await corsLayer(corsOrigins) }] : []),
    ...use.map((handle) => ({ handle })),
    ...(isControlled ? [{ path: CONTROL_ROOT, handle: await dashboardFiles() }] : []),
    { handle: answer },
  ]
}

/** Refuses the web pages of other origins. */
function gateLayer(api: Host, options: PortOptions): Middleware {
  const refuse = createGate(options)
  return (request, response, next) => {
    const { url = '' } = request
    // The control API has a narrower gate of its own, which no option of this one widens.
    if (options.isControlled === true && url.startsWith(CONTROL_ROOT) && isControlCall(url)) {
      return next()
    }
    const refusal = refuse(request)
    if (!refusal) return next()
    const { status, message } = refusal
    options.refused?.({ request: `${request.method} ${url}`, status, message })
    // Read to its end, so that the client gets to hear the answer.
    request.resume()
    const body = JSON.stringify(refusal.bodyFor(api))
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  }
}

function isControlCall(url: string): boolean {
  const path = url.split('?', 1)[0]!
  return isControlPath(path) && !isOfDashboard(path)
}

/** Web pages of the allowed origins get the headers that browsers ask for. */
async function corsLayer(origins: readonly string[]): Promise<Middleware> {
  const { default: cors } = await import('cors')
  const layer = cors({ origin: origins.includes('*') ? '*' : [...origins] })
  // The control API is closed to all of them.
  return (request, response, next) => {
    if (isControlPath((request.url ?? '').split('?', 1)[0]!)) next()
    else layer(request, response, next)
  }
}

/** The port that was bound. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Takes no more connections; resolves once those it has are gone. */
function closed(server: NetServer): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()))
}

const GRACE = 1000
const SWEEP = 10

/** Lets answers under way be finished, for a second at most. */
export function closePort(server: Server): Promise<void> {
  return new Promise((resolve) => {
    let timer: WallTimer | undefined
    // A connection whose answer was under way is idle after it, and would stay for the next request.
    const sweep = (left: number): void => {
      if (left <= 0) return server.closeAllConnections()
      server.closeIdleConnections()
      timer = startTimer(SWEEP, () => sweep(left - SWEEP))
    }
    const listening = [server, ipv6Of.get(server)].filter((each) => each !== undefined)
    void Promise.all(listening.map(closed)).then(() => {
      cancelTimer(timer)
      resolve()
    })
    sweep(GRACE)
  })
}

/** Answers what is no HTTP at all, or never became a whole request, like any other bad request. */
function answerMalformed(error: NodeJS.ErrnoException, host: Host, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  const { status, message } = refusals[error.code ?? ''] ?? INVALID
  const body = JSON.stringify(new ApiError(status, message).bodyFor(host))
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'connection: close',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

const INVALID = { status: 400, message: 'Invalid HTTP request' }

const refusals: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'Request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'Request took too long to arrive' },
}

interface Bound {
  /** The address that is bound. */
  host: string
  controlToken?: string | undefined
  allowedHosts?: readonly string[] | undefined
}

/**
 * Who may use the control API of ports bound so. Where other machines reach them, a token is needed to
 * change anything; one is made up where none is given.
 */
export function controlAccess({ host, controlToken, allowedHosts }: Bound): ControlAccess {
  const beyondLoopback = !isLoopback(host)
  const token = controlToken ?? (beyondLoopback ? newSecret() : undefined)
  return { token, allowedHosts, beyondLoopback }
}

/** The origins under which bound ports are called from this machine. */
export function urlsOf({ host, port, inferencePort }: Listening): Record<Host, string> {
  const name = callable(host)
  return { training: `http://${name}:${port}`, inference: `http://${name}:${inferencePort}` }
}

/** The origin under which a bound port is called from this machine. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  return `http://${callable(host)}:${port}`
}

/** A wildcard address cannot be called; IPv6 addresses stand in brackets. */
function callable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

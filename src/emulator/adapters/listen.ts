import {
  createServer,
  ServerResponse,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import {
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../../service/contract/errors.js'
import { CONTROL_ROOT, isControlPath } from '../control/control-path.js'
import type { ControlAccess } from '../emulator.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import {
  anyFunction,
  listOf,
  nonEmptyText,
  Options,
  parts,
  aPort,
  aSecret,
  type Table,
} from '../../base/text/options.js'
import { newSecret } from '../../base/random/secret.js'
import { aListedHost, isLoopback } from '../../base/text/authority.js'
import { BackgroundErrors, failingWith } from '../../base/text/background-errors.js'
import { ownPorts } from '../../base/clock/lookout.js'
import { cancelTimer, startTimer, type WallTimer } from '../../base/clock/wall.js'
import { printedPages } from './printed-pages.js'
import { dashboardFiles, isDashboardPath } from './dashboard-files.js'
import { createApp, hostHandler, type Layer, type Middleware } from './express.js'
import { createGate, type GateOptions } from './gate.js'
import { checkTarget, hasBody, INVALID_REQUEST, writeError, type Handler } from './node-http.js'
import { guard, PORT_LIMITS, portLimits, serverOptions, type PortLimits } from './port-limits.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** The options of `emulator.listen()`. */
export interface ListenOptions extends GateOptions {
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
  /** Express middleware that runs before the API, on both ports. */
  use?: readonly Middleware[]
  /** Limits for clients. Default: the defaults of `PortLimits`. */
  limits?: Partial<PortLimits>
  /**
   * Called for each request that is refused because of its `Host` or `Origin`. The journal does not
   * contain these requests.
   */
  refused?: (refusal: Refusal) => void
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

interface Reporting {
  /** Takes the errors of answers that cannot be made or written. Default: the process warns of them. */
  background?: BackgroundErrors
  /** Takes contents that are uploaded. Default: all bodies are read into memory. */
  receive?: ReceiveContent
}

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

/** A request that the port refused before it reached the API. */
export interface Refusal {
  /** Its method and path: `GET /v1/health`. */
  readonly request: string
  /** The HTTP status of the refusal. */
  readonly status: number
  /** Why it was refused, in words. */
  readonly message: string
}

/** An emulator that listens. */
export interface Listening {
  /** The address that is bound. */
  readonly host: string
  /** The port of the training API. */
  readonly port: number
  /** The port of the inference API. */
  readonly inferencePort: number
  /** Stops listening. Open answers get up to a second to finish. */
  close(): Promise<void>
}

/**
 * Thrown when a port can't be bound. Its code is `SVTRAIN_PORT_TAKEN` if another program uses the port, and
 * otherwise `SVTRAIN_CANNOT_LISTEN`.
 */
export class ListenError extends EmulatorError {
  override readonly name = 'ListenError'
  readonly code: 'SVTRAIN_PORT_TAKEN' | 'SVTRAIN_CANNOT_LISTEN'
  /** The port that was requested. */
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

export interface PortOptions extends Omit<ListenOptions, 'inferencePort'>, Reporting {
  host: string
  port: number
  /** Whether this port has the control API and the dashboard. Default: false. */
  isControlled?: boolean
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
  await bindBoth(server, { host, port, limits })
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

/** Makes what Node treats apart a request like any other, and answers what is not HTTP. */
export function answerUnusual(server: Server, api: Host, background: BackgroundErrors): void {
  const listener = background.callback<Parameters<RequestListener>>('take a request', (...call) => {
    server.emit('request', ...call)
  })
  const on = (event: string, work: (...given: never[]) => void): void => {
    server.on(event, background.callback(`answer ${event}`, work as (...given: unknown[]) => void))
  }
  on('clientError', (error: Error, socket: Duplex) => answerMalformed(error, api, socket))
  // The server of the framework ignores an `Expect` that it does not know, and serves `CONNECT` like any method.
  server.on('checkExpectation', listener)
  on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (hasBody(request)) response.writeContinue()
    listener(request, response)
  })
  on('connect', (request: IncomingMessage, socket: Duplex) => {
    answerConnect(listener, request, socket)
  })
}

/** Binds a port, on IPv6 as well if the host is `127.0.0.1`. */
async function bindBoth(server: Server, { host, port, limits }: Binding): Promise<void> {
  for (let left = TRIES; ; left--) {
    await bind(server, { host, port })
    if (host !== '127.0.0.1') return
    try {
      return await bindIpv6(server, limits)
    } catch (error) {
      await closed(server)
      if (port !== 0 || left === 1) throw error
    }
  }
}

interface Binding {
  readonly host: string
  readonly port: number
  readonly limits: PortLimits
}

/** The most attempts to find a port that is free on both IPv4 and IPv6. */
const TRIES = 10

/**
 * Binds a port.
 *
 * @throws {ListenError} When it can't be bound.
 */
export function bind(
  server: NetServer,
  { host, port }: { host: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError({ host, port }, error)))
    server.listen(port, host, resolve)
  })
}

/** The servers on `127.0.0.1`, each with the one that listens on `::1` for it. */
const ipv6Of = new WeakMap<Server, NetServer>()

/** Accepts connections on `::1`, if the machine has that address. */
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

/** The layers that a request passes, in order. */
async function layersOf(handler: Handler, api: Host, options: PortOptions): Promise<Layer[]> {
  const { corsOrigins = [], use = [], isControlled = false } = options
  const { background, receive } = options
  const answer = hostHandler(handler, api, { background, receive })
  return [
    { handle: gateLayer(api, options) },
    ...(corsOrigins.length > 0 ? [{ handle: await corsLayer(corsOrigins) }] : []),
    ...use.map((handle) => ({ handle })),
    ...(isControlled ? [{ path: CONTROL_ROOT, handle: await dashboardFiles() }] : []),
    { handle: answer },
  ]
}

/** Refuses requests from web pages of other origins. */
function gateLayer(api: Host, options: PortOptions): Middleware {
  const refuse = createGate(options)
  return (request, response, next) => {
    const { url = '' } = request
    // The control API has a stricter gate of its own. The options of this gate don't change it.
    if (options.isControlled === true && url.startsWith(CONTROL_ROOT) && isControlCall(url)) {
      return next()
    }
    const refusal = refuse(request)
    // In this layer, because each layer makes each call slower.
    if (!refusal) return options.isControlled ? printedPages(request, response, next) : next()
    const { status, message } = refusal
    options.refused?.({ request: `${request.method} ${url}`, status, message })
    // Reads the request to its end, so that the client receives the answer.
    request.resume()
    writeError(response, refusal, api)
  }
}

function isControlCall(url: string): boolean {
  const path = url.split('?', 1)[0]!
  return isControlPath(path) && !isDashboardPath(path)
}

/** Adds the CORS headers for web pages of the allowed origins. */
async function corsLayer(origins: readonly string[]): Promise<Middleware> {
  const { default: cors } = await import('cors')
  const layer = cors({ origin: origins.includes('*') ? '*' : [...origins] })
  // No web page of another origin may call the control API.
  return (request, response, next) => {
    if (isControlPath((request.url ?? '').split('?', 1)[0]!)) next()
    else layer(request, response, next)
  }
}

/** The number of a bound port. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** The open connections of each server. */
const connectionsOf = new WeakMap<Server, ReadonlyMap<Socket, unknown>>()

/** Accepts no more connections. Resolves when the open ones are closed. */
function closed(server: NetServer): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()))
}

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
      if (left <= 0) return server.closeAllConnections()
      server.closeIdleConnections()
      // Node does not count these as idle. Clients with a pool open one when a call is aborted.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy()
      timer = startTimer(
        SWEEP,
        failingWith(reject, () => sweep(left - SWEEP)),
      )
    }
    const listening = [server, ipv6Of.get(server)].filter((each) => each !== undefined)
    void Promise.all(listening.map(closed)).then(() => {
      cancelTimer(timer)
      resolve()
    })
    sweep(GRACE)
  })
}

/** Answers a `CONNECT` request, which asks for a tunnel. Its connection is closed after the answer. */
function answerConnect(listener: RequestListener, request: IncomingMessage, socket: Duplex): void {
  // Node handles the errors of all other connections. One that nobody handles would end the process.
  socket.on('error', () => socket.destroy())
  // What is sent for the tunnel is dropped: unread, it would hide that the client left.
  socket.resume().once('end', () => socket.end())
  // An authority, such as `example.test:443`, is not a path.
  if (!request.url?.startsWith('/')) return writeRefusal(socket, INVALID_REQUEST)
  // What follows the headers belongs to the tunnel, so it is not a body.
  delete request.headers['content-length']
  delete request.headers['transfer-encoding']
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  listener(request, response)
}

/** Answers bytes that aren't HTTP as the server of the framework does, and other bad requests in JSON. */
function answerMalformed(error: NodeJS.ErrnoException, host: Host, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  // What follows the last request of a connection is ignored. The answer to that request closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return
  writeRefusal(socket, refusalOf(error.code ?? '', host))
}

/** Writes a whole answer to a connection that has no response of Node, and ends it. */
export function writeRefusal(
  socket: Duplex,
  { status, reason = STATUS_CODES[status], headers, body }: WrittenRefusal,
): void {
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

interface WrittenRefusal {
  status: number
  /** Default: the usual one of the status. */
  reason?: string
  headers: Readonly<Record<string, string>>
  body: string
}

function refusalOf(code: string, host: Host): WrittenRefusal {
  const refusal = refusals[code]
  if (!refusal) return INVALID_REQUEST
  const { status, message } = refusal
  return {
    status,
    headers: { connection: 'close', 'content-type': 'application/json' },
    body: JSON.stringify(new ApiError(status, message).bodyFor(host)),
  }
}

const refusals: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'Request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'Request took too long to arrive' },
}

interface ControlExposure {
  /** The address that is bound. */
  host: string
  controlToken?: string | undefined
  allowedHosts?: readonly string[] | undefined
}

/**
 * Decides who may use the control API of a port. If other machines can reach the port, calls that change
 * something need a token. Without one in the options, a random token is created.
 */
export function controlAccess({
  host,
  controlToken,
  allowedHosts,
}: ControlExposure): ControlAccess {
  const beyondLoopback = !isLoopback(host)
  const token = controlToken ?? (beyondLoopback ? newSecret() : undefined)
  return { token, allowedHosts, beyondLoopback }
}

/** The origins of bound ports, for clients on this machine. */
export function urlsOf({ host, port, inferencePort }: Listening): Record<Host, string> {
  const name = callableHost(host)
  return { training: `http://${name}:${port}`, inference: `http://${name}:${inferencePort}` }
}

/** The origin of a bound port, for clients on this machine. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  return `http://${callableHost(host)}:${port}`
}

/** Replaces a wildcard address, which can't be called, and puts IPv6 addresses in brackets. */
function callableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

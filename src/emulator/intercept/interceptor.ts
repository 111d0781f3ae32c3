import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hostName, hostOfHeader } from '../../base/text/authority.js'
import { isLoopback, isLoopbackName } from '../../base/text/near-address.js'
import { BackgroundErrors } from '../../base/text/background-errors.js'
import { answerUnusual } from '../adapters/unusual-requests.js'
import { bind, portOf } from '../adapters/bind.js'
import { urlOf } from '../adapters/port-url.js'
import { checkTarget } from '../adapters/node-http.js'
import { guard, PORT_LIMITS, serverOptions, type PortLimits } from '../adapters/port-limits.js'
import { isSame } from '../control/access.js'
import { writeText, type Answer } from './answer.js'
import { CalledHosts, type Outcome } from './called-hosts.js'
import type { InterceptedHosts } from './intercepted-hosts.js'
import { Outside, type Destination } from './outside.js'
import { Passage, withoutOrigin, type Way } from './passage.js'
import { BASIC, destinationOf, refuseTunnel } from './tunnel.js'
import { beginTunnel } from './tunnel-opening.js'
import { isDocumented, originOf, routeOf, shownHost, type HostRoutes } from '../adapters/routes.js'

export interface InterceptorOptions {
  readonly hosts: InterceptedHosts
  /** Answers calls to these hosts. */
  readonly answer: Answer
  /** The way to all other hosts. */
  readonly outside: Outside
  /** Says how to allow a host: `--allow-host-out example.test`. */
  readonly allowWith: (hostname: string) => string
  /** Counts the calls, also those of other proxies. */
  readonly called?: CalledHosts
  /** Limits for clients. Default: those of a port of the emulator. */
  readonly limits?: Partial<PortLimits>
  /** What clients on other machines have to send as the password of the proxy. Default: nothing. */
  readonly password?: string | undefined
}

/** Where a proxy listens. */
interface ProxyAddress {
  /** Default: `127.0.0.1`. */
  readonly host?: string
  /** Default: 0, any free port. */
  readonly port?: number
}

/** A host that is intercepted, as a connection to it was asked for. */
interface Target extends Destination {
  readonly routes: HostRoutes
  /** What the report calls it. */
  readonly shown: string
  /** How many calls came over the connection. */
  calls: number
}

/**
 * A proxy on loopback that answers calls to the real hosts of a service. Only its command trusts the certificate of
 * the hosts. Other hosts are refused unless they are allowed.
 */
export class Interceptor {
  readonly #options: InterceptorOptions
  readonly #ownCalled = new CalledHosts()
  readonly #limits: PortLimits
  /** Takes the calls to the proxy itself. */
  readonly #front: Server
  /** Takes the calls inside of tunnels. It listens nowhere. */
  readonly #inner: Server
  readonly #targets = new WeakMap<Duplex, Target>()
  readonly #open = new Set<Duplex>()
  readonly #background = new BackgroundErrors({
    show: ({ text }) => this.#called.failed(THE_PROXY, text),
  })
  readonly #passage = new Passage({
    called: () => this.#called,
    background: this.#background,
    track: (socket) => this.#track(socket),
  })
  #host = '127.0.0.1'
  #isClosing = false

  constructor(options: InterceptorOptions) {
    this.#options = options
    this.#limits = { ...PORT_LIMITS, ...options.limits }
    this.#front = this.#createFront()
    this.#inner = this.#createInner()
  }

  /** The address of the proxy, for clients on this machine. */
  get url(): string {
    return urlOf({ host: this.#host, port: portOf(this.#front) })
  }

  /** The outcome of the calls so far, by host. */
  get called(): CalledHosts['all'] {
    return this.#called.all
  }

  get #called(): CalledHosts {
    return this.#options.called ?? this.#ownCalled
  }

  /**
   * Opens the port of the proxy.
   *
   * @throws {ListenError} When the port can't be bound.
   */
  async listen({ host = '127.0.0.1', port = 0 }: ProxyAddress = {}): Promise<void> {
    this.#host = host
    await bind(this.#front, { host, port, background: this.#background })
  }

  /** Closes the proxy with all of its connections. */
  async close(): Promise<void> {
    this.#isClosing = true
    const closed = new Promise<void>((resolve) => void this.#front.close(() => resolve()))
    for (const socket of this.#open) socket.destroy()
    this.#front.closeAllConnections()
    this.#inner.close()
    await closed
  }

  #createFront(): Server {
    const server = createServer(
      serverOptions(this.#limits),
      this.#background.callback('answer a call without a tunnel', this.#answerPlain),
    )
    guard(server, this.#limits, this.#background)
    server.on('connection', (socket) => this.#track(socket))
    server.on('clientError', (_error, socket) => socket.destroy())
    server.on('connect', this.#background.callback('open a tunnel', this.#openTunnel))
    return server
  }

  #createInner(): Server {
    const server = createServer(serverOptions(this.#limits))
    guard(server, this.#limits, this.#background)
    answerUnusual(server, 'training', this.#background)
    const answer = checkTarget((request, response) => {
      this.#answer(this.#targets.get(request.socket)!, request, response)
    })
    server.on('request', this.#background.callback('answer a call in a tunnel', answer))
    // Its limits of time begin with this event. It never listens.
    server.emit('listening')
    return server
  }

  #track(socket: Duplex): void {
    this.#open.add(socket)
    // An error that nobody handles would end the process.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#open.delete(socket))
  }

  readonly #openTunnel = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const destination = destinationOf(request.url ?? '')
    if (!destination) return refuseTunnel(socket, 400, `${request.url} is not a host with a port`)
    if (!this.#mayUse(request)) return refuseTunnel(socket, 407, NEEDS_PASSWORD)
    if (head.length > 0) socket.unshift(head)
    const target = this.#targetAt(destination)
    if (target) {
      const opened = this.#intercept(socket as Socket, target)
      return void this.#background.watch('open a tunnel', opened)
    }
    const way = this.#wayTo(destination, request)
    if ('refused' in way) {
      // A tunnel may be without TLS, too, and no certificate is for an IP address.
      const isPlain = destination.port === 80 || isIP(destination.hostname) !== 0
      const text = this.#refuse(way.refused, { ...destination, scheme: isPlain ? 'http' : 'https' })
      return refuseTunnel(socket, 403, text)
    }
    void this.#background.watch('pass a tunnel on', this.#passage.tunnel(socket, way))
  }

  /** Undefined for a host that is not intercepted. */
  #targetAt(destination: Destination): Target | undefined {
    const { hostname, port } = destination
    const routes = this.#options.hosts.routes.of(hostname, port)
    return routes && { ...destination, routes, shown: shownHost(destination), calls: 0 }
  }

  #intercept(socket: Socket, target: Target): Promise<void> {
    return beginTunnel(socket, {
      secureContext: this.#options.hosts.context,
      patience: this.#limits.headers,
      background: this.#background,
      take: (taken) => {
        this.#targets.set(taken, target)
        this.#inner.emit('connection', taken)
      },
      ended: (reason) => {
        if (target.calls > 0 || this.#isClosing) return
        if (reason === undefined) this.#called.left(target.shown)
        else this.#called.failed(target.shown, reason)
      },
    })
  }

  /** Answers a call to an intercepted host. */
  #answer(target: Target, request: IncomingMessage, response: ServerResponse): void {
    const { hostname, routes, shown } = target
    const { url = '/', headers } = request
    target.calls++
    const said = hostName(hostOfHeader(headers.host ?? hostname))
    if (said !== hostname) {
      this.#count('answered', shown, response)
      request.resume()
      const text = `This connection is to ${hostname}. The request is for ${said}.`
      return writeText(response, 421, text)
    }
    const path = withoutOrigin(url)
    const route = routeOf(routes, path.split('?', 1)[0]!)
    const failed = (why: string): void => this.#called.failed(shown, why)
    const outcome = this.#options.answer({ ...target, route, path, request, response, failed })
    if (outcome) this.#count(outcome, shown, response)
  }

  /** Counts a call, and whether it was answered here with an error. */
  #count(outcome: Outcome, host: string, response: ServerResponse): void {
    this.#called.count(host, outcome)
    if (outcome !== 'answered') return
    const ended = this.#background.callback('count an answer', () => {
      // A client that leaves before its answer has no error.
      if (response.statusCode >= 400) this.#called.count(host, 'troubled')
    })
    response.once('close', ended)
  }

  /** Answers a call without a tunnel: `GET http://example.test/path`. */
  readonly #answerPlain = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '' } = request
    if (!/^http:\/\//i.test(url) || !URL.canParse(url)) {
      request.resume()
      return writeText(response, 400, 'This is a proxy. It takes CONNECT, and URLs with http://.')
    }
    if (!this.#mayUse(request)) {
      request.resume()
      response.setHeader('proxy-authenticate', BASIC)
      return writeText(response, 407, NEEDS_PASSWORD)
    }
    // It is for the proxy, and no call shows it.
    delete request.headers['proxy-authorization']
    const { hostname, port } = new URL(url)
    const destination = { hostname: hostName(hostname), port: Number(port) || 80 }
    const target = this.#targetAt(destination)
    if (target) return this.#answer(target, request, response)
    const way = this.#wayTo(destination, request)
    if (!('refused' in way)) {
      const passed = this.#passage.call(way, request, response)
      return void this.#background.watch('pass a call on', passed)
    }
    request.resume()
    writeText(response, 403, this.#refuse(way.refused, { ...destination, scheme: 'http' }))
  }

  /** Whether a client is on this machine, or knows the password. */
  #mayUse({ headers, socket }: IncomingMessage): boolean {
    const { password } = this.#options
    if (password === undefined || isLoopback(socket.remoteAddress ?? '')) return true
    const [, encoded = ''] = /^basic +(\S+)$/i.exec(headers['proxy-authorization'] ?? '') ?? []
    const sent = Buffer.from(encoded, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
    return isSame(sent, password)
  }

  /** The way to a host that is not intercepted, or why it is refused. */
  #wayTo(destination: Destination, { socket }: IncomingMessage): Way | { refused: string } {
    const { outside, hosts } = this.#options
    const { hostname } = destination
    if (
      hosts.routes.haveThisMachine &&
      isLoopbackName(hostname) &&
      isLoopback(socket.remoteAddress ?? '')
    ) {
      return {
        to: { ...destination, hostname: isIP(hostname) === 0 ? 'localhost' : hostname },
        isOwn: true,
        outside: THIS_MACHINE,
      }
    }
    const refused = outside.refusal(destination)
    return refused === undefined ? { to: destination, outside, isOwn: false } : { refused }
  }

  /** Counts a call that is refused, and says why, and what to do. */
  #refuse(why: string, at: Parameters<typeof originOf>[0]): string {
    const { hostname } = at
    this.#called.count(hostname, 'refused')
    const remedy = isDocumented(hostname)
      ? ANSWERED_TOO
      : `to allow it: ${this.#options.allowWith(hostname)}; to answer its chats: --intercept documented --intercept inference=${originOf(at)}/v1 (pytest: svtrain_addresses)`
    this.#called.failed(hostname, remedy)
    return `svtrain-emulator refuses ${hostname}. ${why}; ${remedy}`
  }
}

/**
 * The way to other programs on this machine. Clients on it call them without a proxy, so neither an option nor the
 * report is about them.
 */
const THIS_MACHINE = new Outside({ allowed: ['localhost'], environment: {} })

/** What to do about a refused host of the service. Nobody means to call the real one. */
const ANSWERED_TOO =
  'to answer this host of the service, too: --intercept documented, or "documented" in svtrain_addresses'

/** What background errors of the proxy stand beside, among the hosts. */
const THE_PROXY = 'the proxy itself'

const NEEDS_PASSWORD =
  'This proxy needs a password, which is the control token: http://any:<token>@<host>:<port>'

import { lookup as lookUp, type LookupAddress } from 'node:dns'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import { failingWith } from '../../base/text/background-errors.js'
import { hostName, isListedHost, loginOf, withoutBrackets } from '../../base/text/authority.js'
import { isLoopbackName, isNear } from '../../base/text/near-address.js'

/** A host with a port. */
export interface Destination {
  /** In its normal form. */
  readonly hostname: string
  readonly port: number
}

export interface OutsideOptions {
  /** The hosts that calls may go to: names, `.example.test` for all below a name, or `all`. */
  readonly allowed: readonly string[]
  /** The variables that were set before. They may name a proxy that leads outside. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** How long a connection with its handshakes may take, in milliseconds. Default: 60,000. */
  readonly patience?: number | undefined
}

const PATIENCE = 60_000

/** What a look-up finds: an address, or all of them. */
type FoundAddress = string | LookupAddress[]

/** What `all` does not allow: programs on this machine, and services that tell a cloud machine its secrets. */
const NEVER_BY_ALL = 'It is on this machine or its network segment, so `all` does not allow it'

/** The way to hosts that are not intercepted. All connections to them begin here. */
export class Outside {
  readonly #allowed: readonly string[]
  /** `all` is no host. */
  readonly #allowsAll: boolean
  readonly #environment: OutsideOptions['environment']
  readonly #patience: number

  constructor({ allowed, environment, patience = PATIENCE }: OutsideOptions) {
    this.#allowed = allowed.filter((each) => each !== 'all').map(hostName)
    this.#allowsAll = allowed.includes('all')
    this.#environment = environment
    this.#patience = patience
  }

  /** Why a host is refused. Undefined if calls may go there. */
  refusal({ hostname }: Destination): string | undefined {
    if (this.names(hostname)) return undefined
    if (!this.#allowsAll) return 'It is not intercepted, and no option allows it'
    return isNear(hostname, ownAddresses()) ? NEVER_BY_ALL : undefined
  }

  /** Whether a host is allowed by its name, and not only because all are. */
  names(hostname: string): boolean {
    return isListedHost(hostName(hostname), this.#allowed)
  }

  /** Opens a tunnel to a host, through the proxy that was set before if there is one. */
  async connect(destination: Destination): Promise<Socket> {
    const proxy = this.proxyFor(destination, 'https')
    if (!proxy) return this.#reach(destination)
    return this.#inTime(await this.#reachProxy(proxy), tunnelThrough(proxy, destination))
  }

  /** Connects for a call without TLS: with the proxy that was set before, or with the host. */
  async connectPlain(destination: Destination): Promise<{ socket: Socket; proxy?: URL }> {
    const proxy = this.proxyFor(destination, 'http')
    if (!proxy) return { socket: await this.#reach(destination) }
    return { socket: await this.#reachProxy(proxy), proxy }
  }

  #reach(destination: Destination): Promise<Socket> {
    const { hostname: host, port } = destination
    const socket = connectTcp({ host, port, lookup: this.lookupFor(destination) })
    return this.#inTime(socket, connected)
  }

  /** A proxy with `https:` gets nothing without TLS: neither its password nor a call. */
  #reachProxy({ protocol, hostname, port }: URL): Promise<Socket> {
    const host = withoutBrackets(hostname)
    if (protocol === 'http:') {
      return this.#inTime(connectTcp({ host, port: Number(port) || 80 }), connected)
    }
    return this.#secured({ host, port: Number(port) || 443 })
  }

  /** Opens a tunnel to a host, and speaks TLS in it. */
  async connectSecurely(destination: Destination, options: ConnectionOptions): Promise<Socket> {
    const socket = await this.connect(destination)
    return this.#secured({ ...options, socket, host: destination.hostname })
  }

  #secured({ host, ...options }: ConnectionOptions & { host: string }): Promise<Socket> {
    // An address is not a name that a server could choose a certificate by.
    const servername = isIP(host) === 0 ? host : ''
    const secure = connectTls({ ...options, host, servername })
    return this.#inTime(secure, (opening) => connected(opening, 'secureConnect'))
  }

  /** Waits for a step of a connection. A peer that stays silent does not keep it open. */
  async #inTime(socket: Socket, step: (socket: Socket) => Promise<Socket>): Promise<Socket> {
    const late = new Error(`there was no answer in ${this.#patience / 1000} s`)
    const timer = startTimer(this.#patience, () => socket.destroy(late))
    try {
      return await step(socket)
    } finally {
      cancelTimer(timer)
    }
  }

  /** Looks an address up. A name that was allowed only by `all` must not lead to this machine. */
  lookupFor({ hostname }: Destination): LookupFunction {
    if (this.names(hostname)) return lookUp
    return (name, options, callback) => {
      const refuse = (error: Error): void => callback(error, '', 0)
      const found = failingWith(
        refuse,
        (error: Error | null, address: FoundAddress, family?: number) => {
          if (error) return refuse(error)
          const all = Array.isArray(address) ? address : [{ address, family }]
          const own = ownAddresses()
          const near = all.find((each) => isNear(each.address, own))
          if (!near) return callback(null, address, family)
          refuse(new Error(`${name} is at ${near.address}. ${NEVER_BY_ALL}.`))
        },
      )
      lookUp(name, options, found)
    }
  }

  /** The proxy that was set before for a scheme. Undefined if the host is called without one. */
  proxyFor({ hostname, port }: Destination, scheme: 'http' | 'https'): URL | undefined {
    // Another machine would reach itself.
    if (isLoopbackName(hostname)) return undefined
    const value = this.#variable(`${scheme}_proxy`) ?? this.#variable('all_proxy')
    if (value === undefined) return undefined
    const except = (this.#variable('no_proxy') ?? '').split(',').map((each) => each.trim())
    if (except.some((each) => isExcept(each, { hostname, port }))) return undefined
    const url = value.includes('://') ? value : `http://${value}`
    if (!URL.canParse(url)) return undefined
    const proxy = new URL(url)
    return proxy.protocol === 'http:' || proxy.protocol === 'https:' ? proxy : undefined
  }

  #variable(name: string): string | undefined {
    // An empty variable counts as none.
    return [name, name.toUpperCase()].map((each) => this.#environment[each]).find(Boolean)
  }
}

function isExcept(entry: string, { hostname, port }: Destination): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  // The colons of an IPv6 address are no port.
  const [, only] = isIP(entry) === 6 ? [] : (/:(\d+)$/.exec(entry) ?? [])
  if (only !== undefined && Number(only) !== port) return false
  const host = only === undefined ? entry : entry.slice(0, -only.length - 1)
  const name = hostName(host.replace(/^\*?\./, ''))
  return hostname === name || hostname.endsWith(`.${name}`)
}

/** Read for each connection: a machine may join a network at any time. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
}

/** Resolves when a connection is open, and rejects if it is refused. */
function connected<Kind extends Socket>(socket: Kind, event = 'connect'): Promise<Kind> {
  return new Promise((resolve, reject) => {
    // It stays: an error that nobody handles would end the process, and a later one rejects nothing.
    socket.on('error', reject)
    socket.once(event, () => resolve(socket))
  })
}

/** Asks another proxy for a tunnel. */
function tunnelThrough(proxy: URL, { hostname, port }: Destination) {
  const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
  return (socket: Socket): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const request = requestHttp({
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, ...authorizationFor(proxy) },
        createConnection: () => socket,
      })
      const answered = failingWith(
        reject,
        ({ statusCode, statusMessage }: IncomingMessage, _tunnel: Socket, head: Buffer) => {
          if (head.length > 0) socket.unshift(head)
          if (statusCode === 200) return resolve(socket)
          socket.destroy()
          reject(new Error(`the proxy ${proxy.host} answered ${statusCode} ${statusMessage}`))
        },
      )
      request.on('error', reject).once('connect', answered)
      request.end()
    })
}

/** The header with the user and the password of a proxy. */
export function authorizationFor(proxy: URL): Record<string, string> {
  const login = loginOf(proxy)
  return login === undefined ? {} : { 'proxy-authorization': login }
}

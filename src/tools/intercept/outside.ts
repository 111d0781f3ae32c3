import { lookup as lookUp } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { request as requestHttp } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { isListedHost, isLoopbackName, withoutBrackets } from '../../base/text/authority.js'

/** A host with a port. */
export interface Destination {
  readonly hostname: string
  readonly port: number
}

export interface OutsideOptions {
  /** The hosts that calls may go to: names, `.example.test` for all below a name, or `all`. */
  readonly allowed: readonly string[]
  /** The variables that were set before. They may name a proxy that leads outside. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** What `all` does not allow: programs on this machine, and services that tell a cloud machine its secrets. */
const NEVER_BY_ALL = 'It is on this machine or its network segment, so `all` does not allow it'

/** The way to hosts that are not intercepted. */
export class Outside {
  readonly #allowed: readonly string[]
  readonly #environment: OutsideOptions['environment']

  constructor({ allowed, environment }: OutsideOptions) {
    this.#allowed = allowed.map((host) => host.toLowerCase())
    this.#environment = environment
  }

  /** Why a host is refused. Undefined if calls may go there. */
  refusal({ hostname }: Destination): string | undefined {
    const name = hostname.toLowerCase()
    if (isListedHost(name, this.#allowed)) return undefined
    if (!this.#allowed.includes('all')) return 'It is not intercepted, and no option allows it'
    return isNear(name) ? NEVER_BY_ALL : undefined
  }

  /** Connects to a host, through the proxy that was set before if there is one. */
  async connect(destination: Destination): Promise<Socket> {
    const proxy = this.proxyFor(destination, 'https')
    if (proxy) return connectThrough(proxy, destination)
    return connected(
      connectTcp({
        host: destination.hostname,
        port: destination.port,
        lookup: this.lookupFor(destination),
      }),
    )
  }

  /** Looks an address up. A name that was allowed only by `all` must not lead to this machine. */
  lookupFor({ hostname }: Destination): LookupFunction {
    if (isListedHost(hostname, this.#allowed)) return lookUp
    return (name, options, callback) => {
      lookUp(name, options, (error, address, family) => {
        const found = Array.isArray(address) ? address : [{ address, family }]
        const near = found.find((each) => isNear(each.address))
        if (!error && near) {
          callback(new Error(`${name} is at ${near.address}. ${NEVER_BY_ALL}.`), '', 0)
        } else callback(error, address, family)
      })
    }
  }

  /** The proxy that was set before for a scheme. Undefined if the host is called without one. */
  proxyFor({ hostname, port }: Destination, scheme: 'http' | 'https'): URL | undefined {
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
  const [, host = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry)!
  if (only !== undefined && Number(only) !== port) return false
  const name = host.replace(/^\*?\./, '').toLowerCase()
  return hostname.toLowerCase() === name || hostname.toLowerCase().endsWith(`.${name}`)
}

/** Whether a name or an address leads to this machine, or to its network segment (RFC 3927, RFC 4291). */
function isNear(name: string): boolean {
  const address = withoutBrackets(name).replace(/^::ffff:/i, '')
  if (isLoopbackName(address) || address === 'metadata.google.internal') return true
  if (isIP(address) === 4) return /^(?:0\.|127\.|169\.254\.)/.test(address)
  return isIP(address) === 6 && /^(?:::1?$|fe[89ab]|fd00:ec2::254$)/i.test(address)
}

/** Resolves when a connection is open, and rejects if it is refused. */
export function connected<Kind extends Socket>(socket: Kind, event = 'connect'): Promise<Kind> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once(event, () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Asks another proxy for a tunnel. */
async function connectThrough(proxy: URL, { hostname, port }: Destination): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:'
  const address = { host: proxy.hostname, port: Number(proxy.port) || (isSecure ? 443 : 80) }
  const socket = isSecure
    ? await connected(connectTls({ ...address, servername: proxy.hostname }), 'secureConnect')
    : await connected(connectTcp(address))
  return new Promise((resolve, reject) => {
    const request = requestHttp({
      method: 'CONNECT',
      path: `${hostname}:${port}`,
      headers: { host: `${hostname}:${port}`, ...authorizationFor(proxy) },
      createConnection: () => socket,
    })
    request.once('error', reject)
    request.once('connect', ({ statusCode, statusMessage }, _tunnel, head) => {
      if (head.length > 0) socket.unshift(head)
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`the proxy ${proxy.host} answered ${statusCode} ${statusMessage}`))
    })
    request.end()
  })
}

/** The header with the user and the password of a proxy. */
export function authorizationFor({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

import type { Host } from '../../service/contract/exchange.js'
import { hostName } from '../../base/text/authority.js'
import { isLoopback, isLoopbackName } from '../../base/text/near-address.js'
import { PLATFORM_PATHS } from '../../service/api/platform/paths.js'
import {
  DOCUMENTED_ADDRESSES,
  INTERCEPTED_APIS,
  type InterceptedApi,
} from '../../base/text/vendor/hosts.js'

/** An address that the emulator answers in place of its owner. */
export interface Route {
  readonly api: InterceptedApi
  /** The host of the emulator that answers. */
  readonly host: Host
  readonly scheme: Scheme
  /** The name of the host, in its normal form. */
  readonly hostname: string
  readonly port: number
  /** The path below which the API is, without the version: `` or `/gateway`. */
  readonly mount: string
}

/** The path at which an API begins. */
export const OWN_PATHS: Readonly<Record<InterceptedApi, string>> = {
  training: '/v1',
  inference: '/v1',
  platform: '',
}

type Scheme = 'https' | 'http'

const DEFAULT_PORTS: Readonly<Record<Scheme, number>> = { https: 443, http: 80 }

/** As URLs write them. */
const ADDRESS_OF_IP = /^\[|^\d+(?:\.\d+){3}$/
/** What callers of these addresses reach is this machine (RFC 1122, RFC 4291). */
const UNSPECIFIED = ['0.0.0.0', '::']

/** The routes of the documented service. */
export function documentedRoutes(): Route[] {
  return DOCUMENTED_ADDRESSES.map(({ api, url }) => routeFor(api, url))
}

/** Whether a host is one of the documented service. */
export function isDocumented(host: string): boolean {
  return documentedRoutes().some(({ hostname }) => hostname === host)
}

/**
 * The addresses of a service by API. Each is a host with a path, such as `https://api.example.com/v1` or
 * `http://localhost:11434/v1`.
 */
export interface ServiceHosts {
  /** Where the training API is. Ends in `/v1`. */
  training?: string | readonly string[]
  /** Where the inference API is. Ends in `/v1`. */
  inference?: string | readonly string[]
  /** Where clients log runs and artifacts: the address that `/graphql` follows. */
  platform?: string | readonly string[]
}

/** An address that cannot be used. The message says why, and what is allowed. */
export class AddressError extends Error {}

/** The routes of these addresses. */
export function routesTo(hosts: ServiceHosts): Route[] {
  return INTERCEPTED_APIS.flatMap((api) => {
    return [hosts[api] ?? []].flat().map((address) => routeFor(api, address))
  })
}

/**
 * The route of an API at an address.
 *
 * @throws {AddressError} When the address cannot be used. The message says why, and names the nearest one that can.
 */
export function routeFor(api: InterceptedApi, address: string): Route {
  const hasScheme = address.includes('://')
  const written = hasScheme ? address : `https://${address}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  const problem = url
    ? problemOf(api, url, hasScheme)
    : 'is not a URL. Write https://api.example.test/v1.'
  if (!url || problem !== undefined) {
    // A login is not printed.
    const shown = JSON.stringify(address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@'))
    throw new AddressError(`The address ${shown} of ${api} ${problem}`)
  }
  const scheme = url.protocol === 'http:' ? 'http' : 'https'
  const path = pathOf(url)
  return {
    api,
    host: api === 'inference' ? 'inference' : 'training',
    scheme,
    hostname: hostName(url.hostname),
    port: Number(url.port) || DEFAULT_PORTS[scheme],
    mount: path.slice(0, path.length - OWN_PATHS[api].length),
  }
}

/** Why a URL is not the address of an API, with the nearest one that is. Undefined if it is one. */
function problemOf(api: InterceptedApi, url: URL, hasScheme: boolean): string | undefined {
  const { protocol, hostname, port, search, hash, username, password } = url
  const own = OWN_PATHS[api]
  const path = pathOf(url)
  const isIp = ADDRESS_OF_IP.test(hostname)
  const nearest = (scheme: Scheme): string => {
    const [mount = ''] = path.split(/\/v\d+(?=\/|$)/)
    const origin = `${isIp ? 'http' : scheme}://${url.host}`
    return url.host === '' ? '' : ` Did you mean "${origin}${mount}${own}"?`
  }
  if (!hasScheme && isThisMachine(hostname)) return `has no scheme.${nearest('http')}`
  if (protocol !== 'https:' && protocol !== 'http:') {
    return `has the scheme ${protocol}//. Only https:// and http:// are intercepted.${nearest('https')}`
  }
  const scheme = protocol === 'https:' ? 'https' : 'http'
  if (search + hash + username + password !== '') {
    return `has more than a host and a path.${nearest(scheme)}`
  }
  if (port === '0') return 'has port 0. A port is a number from 1 to 65535.'
  if (scheme === 'https' && isIp) {
    return `has no name. A certificate is made for names only, so an IP address needs http://.${nearest(scheme)}`
  }
  if (!path.endsWith(own)) {
    return `has to end with ${own}, where the API begins.${nearest(scheme)}`
  }
  return undefined
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

/** Whether a host is called on this machine itself. Its other ports belong to other programs. */
export function isThisMachine(host: string): boolean {
  const name = hostName(host)
  return isLoopbackName(name) || UNSPECIFIED.includes(name)
}

/** The name of a host that routes and reports know it by. The addresses of loopback are one host. */
function knownName(host: string): string {
  const name = hostName(host)
  return isLoopback(name) || UNSPECIFIED.includes(name) ? 'localhost' : name
}

/** What reports call a host. A port of this machine is a host of its own. */
export function shownHost({ hostname, port }: Pick<Route, 'hostname' | 'port'>): string {
  const name = knownName(hostname)
  return isThisMachine(name) ? `${name}:${port}` : name
}

/** The address of a route, as a client has it. */
export function addressOf({ api, mount, ...at }: Route): string {
  return originOf(at) + mount + OWN_PATHS[api]
}

/** The origin of a route. */
export function originOf({
  scheme,
  hostname,
  port,
}: Pick<Route, 'scheme' | 'hostname' | 'port'>): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return `${scheme}://${host}${port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}`
}

/** The routes of one host, the longest path first. Of equal ones, the first that was named. */
export type HostRoutes = readonly Route[]

/** Finds the routes of a host. */
export class Routes {
  readonly #byHost = new Map<string, Route[]>()

  constructor(routes: readonly Route[]) {
    for (const route of routes.toSorted((a, b) => b.mount.length - a.mount.length)) {
      const name = knownName(route.hostname)
      this.#byHost.set(name, [...(this.#byHost.get(name) ?? []), route])
    }
  }

  /** The names of all hosts. */
  get hostnames(): string[] {
    return [...this.#byHost.keys()]
  }

  /** Whether some are chats outside of the documented service: those of a judge, or of a teacher. */
  get haveOtherChats(): boolean {
    const documented = new Set(documentedRoutes().map(addressOf))
    return [...this.#byHost.values()]
      .flat()
      .some((route) => route.api === 'inference' && !documented.has(addressOf(route)))
  }

  /** Whether some are addresses of this machine. A client has to send its calls to these to the proxy, too. */
  get haveThisMachine(): boolean {
    return this.hostnames.some(isThisMachine)
  }

  /**
   * The routes at a port. All ports of a host are its own: one that no address names has all of its routes. Only a
   * loopback address has other programs behind its other ports.
   */
  of(hostname: string, port: number): HostRoutes | undefined {
    const name = knownName(hostname)
    const all = this.#byHost.get(name)
    const named = all?.filter((route) => route.port === port)
    if (named?.length === 0) return isThisMachine(name) ? undefined : all
    return named
  }
}

/** The route that a path belongs to. What is below the path of an API is its own, but not the paths of another API. */
export function routeOf(routes: HostRoutes, path: string): Route | undefined {
  return routes.find(({ api, mount }) => {
    if (!isBelow(path, mount)) return false
    const inside = path.slice(mount.length)
    const others = api === 'platform' ? ['/v1'] : PLATFORM_PATHS
    return !others.some((each) => isBelow(inside, each))
  })
}

/** Says why a path of a host belongs to no API. */
export function noRouteText(routes: HostRoutes, path: string): string {
  const host = shownHost((routes as [Route])[0])
  const apis = routes.map(({ api, mount }) => `the ${api} API at ${mount + OWN_PATHS[api] || '/'}`)
  return `${path} of ${host} belongs to no API that svtrain-emulator answers. It answers ${apis.join(' and ')}`
}

/** What replaces the mount of a route. The addresses that an emulator gives out have its base path already. */
export function insideOf({ mount }: Route, path: string, basePath: string): string {
  return isBelow(path.slice(mount.length), basePath) ? '' : basePath
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
}

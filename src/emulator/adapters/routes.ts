import type { Host } from '../../service/contract/exchange.js'
import { hostName, isLoopbackName } from '../../base/text/authority.js'
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
  /** The name of the host, in its normal form. */
  readonly hostname: string
  readonly port: number
  /** The path below which the API is, without the version: `` or `/gateway`. */
  readonly mount: string
}

/** The path at which the emulator serves an API. */
const OWN_PATHS: Readonly<Record<InterceptedApi, string>> = {
  training: '/v1',
  inference: '/v1',
  platform: '',
}

/** As URLs write them. */
const ADDRESS_OF_IP = /^\[|^\d+(?:\.\d+){3}$/

const HTTPS_PORT = 443

/** The routes of the documented service. */
export function documentedRoutes(): Route[] {
  return DOCUMENTED_ADDRESSES.map(({ api, url }) => routeFor(api, url))
}

/** The addresses of a service by API. Each is a host with a path, such as `https://api.example.com/v1`. */
export interface ServiceHosts {
  /** Where the training API is. Ends in `/v1`. */
  training?: string | readonly string[]
  /** Where the inference API is. Ends in `/v1`. */
  inference?: string | readonly string[]
  /** Where clients log runs and artifacts: the address that `/graphql` follows. */
  platform?: string | readonly string[]
}

/** The routes of these addresses. */
export function routesTo(hosts: ServiceHosts): Route[] {
  return INTERCEPTED_APIS.flatMap((api) => {
    return [hosts[api] ?? []].flat().map((address) => routeFor(api, address))
  })
}

/**
 * The route of an API at an address.
 *
 * @throws {Error} When the address cannot be used. The message says why.
 */
export function routeFor(api: InterceptedApi, address: string): Route {
  const refuse = (why: string): never => {
    throw new Error(`The address ${JSON.stringify(address)} of ${api} ${why}`)
  }
  const written = address.includes('://') ? address : `https://${address}`
  if (!URL.canParse(written)) return refuse('is not a URL. Write https://api.example.test/v1.')
  const { protocol, hostname, port, pathname, search, hash, username } = new URL(written)
  if (protocol !== 'https:') {
    return refuse(`has the scheme ${protocol}//. Only https:// is intercepted.`)
  }
  if (search !== '' || hash !== '' || username !== '') {
    return refuse('has more than a host and a path. Write https://api.example.test/v1.')
  }
  if (ADDRESS_OF_IP.test(hostname)) {
    return refuse('has no name. A certificate is made for names only.')
  }
  const path = pathname.replace(/\/+$/, '')
  const own = OWN_PATHS[api]
  if (!path.endsWith(own)) return refuse(`has to end with ${own}, where the API begins.`)
  return {
    api,
    host: api === 'inference' ? 'inference' : 'training',
    hostname: hostName(hostname),
    port: port === '' ? HTTPS_PORT : Number(port),
    mount: path.slice(0, path.length - own.length),
  }
}

/** The address of a route, as a client has it. */
export function addressOf({ api, hostname, port, mount }: Route): string {
  const authority = port === HTTPS_PORT ? hostname : `${hostname}:${port}`
  return `https://${authority}${mount}${OWN_PATHS[api]}`
}

/** The routes of one host, the longest path first. Of equal ones, the first that was named. */
export type HostRoutes = readonly Route[]

/** Finds the routes of a host. */
export class Routes {
  readonly #byHost = new Map<string, Route[]>()

  constructor(routes: readonly Route[]) {
    for (const route of routes.toSorted((a, b) => b.mount.length - a.mount.length)) {
      const { hostname } = route
      this.#byHost.set(hostname, [...(this.#byHost.get(hostname) ?? []), route])
    }
  }

  /** The names of all hosts. */
  get hostnames(): string[] {
    return [...this.#byHost.keys()]
  }

  /**
   * The routes at a port. All ports of a host are its own: one that no address names has all of its routes. Only a
   * loopback address has other programs behind its other ports.
   */
  of(hostname: string, port: number): HostRoutes | undefined {
    const name = hostName(hostname)
    const all = this.#byHost.get(name)
    const named = all?.filter((route) => route.port === port)
    if (named?.length === 0) return isLoopbackName(name) ? undefined : all
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
  const [{ hostname }] = routes as [Route]
  const apis = routes.map(({ api, mount }) => `the ${api} API at ${mount + OWN_PATHS[api] || '/'}`)
  return `${path} of ${hostname} belongs to no API that svtrain-emulator answers. It answers ${apis.join(' and ')}`
}

/** What replaces the mount of a route. The addresses that an emulator gives out have its base path already. */
export function insideOf({ mount }: Route, path: string, basePath: string): string {
  return isBelow(path.slice(mount.length), basePath) ? '' : basePath
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
}

import { isIP } from 'node:net'
import { withoutBrackets } from '../../base/text/authority.js'
import type { Host } from '../../service/contract/exchange.js'
import { didYouMean } from '../../base/text/nearest.js'
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
  /** The name of the host, in lower case. */
  readonly hostname: string
  /** Of TLS. Without TLS, the same host is answered on port 80. */
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

const HTTPS_PORT = 443
const HTTP_PORT = 80

/** Stands for all addresses of the documented service. */
const DOCUMENTED = 'documented'

/**
 * The routes of these addresses, such as `training=https://api.example.test/v1`, or `documented` for those of the
 * documented service. Without any: those of the documented service.
 */
export function routesOf(addresses: readonly string[]): Route[] {
  if (addresses.length === 0) return routesOf([DOCUMENTED])
  return addresses.flatMap((address) => {
    if (address !== DOCUMENTED) return [readRoute(address)]
    return DOCUMENTED_ADDRESSES.map(({ api, url }) => routeFor(api, url))
  })
}

/**
 * Reads `training=https://api.example.test/v1`.
 *
 * @throws {Error} When it is not a known API with an address. The message says what is allowed.
 */
export function readRoute(text: string): Route {
  const [, name = '', address] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const api = INTERCEPTED_APIS.find((each) => each === name)
  if (api === undefined || address === undefined) {
    const wrong = address === undefined ? text : name
    const hint = didYouMean(wrong, [...INTERCEPTED_APIS, DOCUMENTED])
    throw new Error(
      `${JSON.stringify(text)} is not an API and its address, such as training=https://api.example.test/v1. The APIs are ${INTERCEPTED_APIS.join(', ')}; ${DOCUMENTED} stands for all addresses of the documented service.${hint}`,
    )
  }
  return routeFor(api, address)
}

function routeFor(api: InterceptedApi, address: string): Route {
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
  if (isIP(withoutBrackets(hostname)) !== 0) {
    return refuse('has no name. A certificate is made for names only.')
  }
  const path = pathname.replace(/\/+$/, '')
  const own = OWN_PATHS[api]
  if (!path.endsWith(own)) return refuse(`has to end with ${own}, where the API begins.`)
  return {
    api,
    host: api === 'inference' ? 'inference' : 'training',
    hostname,
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
    for (const route of routes) {
      this.#add(`${route.hostname}:${route.port}`, route)
      if (route.port === HTTPS_PORT) this.#add(`${route.hostname}:${HTTP_PORT}`, route)
    }
  }

  #add(authority: string, route: Route): void {
    const known = this.#byHost.get(authority) ?? []
    known.push(route)
    this.#byHost.set(
      authority,
      known.toSorted((a, b) => b.mount.length - a.mount.length),
    )
  }

  /** The names of all hosts. */
  get hostnames(): string[] {
    const all = [...this.#byHost.values()].flat().map(({ hostname }) => hostname)
    return [...new Set(all)]
  }

  of(hostname: string, port: number): HostRoutes | undefined {
    return this.#byHost.get(`${hostname.toLowerCase()}:${port}`)
  }
}

/** The route that a path belongs to. */
export function routeOf(routes: HostRoutes, path: string): Route | undefined {
  return routes.find(({ mount }) => mount === '' || path === mount || path.startsWith(`${mount}/`))
}

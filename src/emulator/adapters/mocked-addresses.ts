import type { Host } from '../../service/contract/exchange.js'
import { PLATFORM_PATHS, STORAGE_PATH } from '../../service/api/platform/paths.js'
import { WHOLE_ORIGIN, type HostOf, type Mount } from './fetch.js'
import type { HandlersOptions } from './handlers-options.js'
import {
  documentedRoutes,
  insideOf,
  noRouteText,
  routeOf,
  Routes,
  routesTo,
  type HostRoutes,
  type ServiceHosts,
} from './routes.js'

/** The addresses of an emulator that is mocked. They change when it starts to listen. */
export interface OwnAddresses {
  /** The path before `/v1`. */
  readonly basePath: string
  /** The base URL of the training API. */
  readonly trainingUrl: string
  /** The base URL of the inference API. */
  readonly inferenceUrl: string
}

/** The addresses that one handler answers. */
export interface Addresses {
  readonly hostOf: HostOf
  /** Where a URL leads to. Undefined: elsewhere. */
  readonly find: (url: URL) => Destination | undefined
}

/** An API of the emulator, or why the URL of a known host belongs to none. */
export type Destination = { readonly mount: Mount } | { readonly whyNone: string }

/** The addresses of an emulator: its own or those that replace them, and the hosts of a real service. */
export function addressesFor(
  emulator: OwnAddresses,
  { trainingUrl, inferenceUrl, hosts }: HandlersOptions,
): Addresses[] {
  return [
    addressOf(emulator, 'training', trainingUrl),
    addressOf(emulator, 'inference', inferenceUrl),
    ...(hosts === undefined ? [] : [addressesOfHosts(emulator, hosts)]),
  ]
}

/** One host of an emulator, at its own address or at the one that the code under test calls. */
function addressOf(emulator: OwnAddresses, host: Host, url: string | undefined): Addresses {
  const own = host === 'training' ? 'trainingUrl' : 'inferenceUrl'
  const base = url === undefined ? undefined : new URL(url)
  // Read for each request: the address changes when the emulator starts to listen.
  const origin = (): string => (base ?? new URL(emulator[own])).origin
  const mounts = base ? mountsAt(base, host, emulator) : [{ ...WHOLE_ORIGIN, below: '' }]
  return {
    hostOf: () => host,
    find: ({ href }) => {
      const mount = mounts.find(({ below }) => isBelow(origin() + below, href))
      return mount && { mount }
    },
  }
}

/** The hosts of a real service. */
function addressesOfHosts(
  { basePath }: OwnAddresses,
  hosts: 'documented' | ServiceHosts,
): Addresses {
  const routes = new Routes(hosts === 'documented' ? documentedRoutes() : routesTo(hosts))
  const at = ({ protocol, hostname, port }: URL): HostRoutes =>
    routes.of(hostname, Number(port) || (protocol === 'http:' ? 80 : 443)) ?? []
  return {
    hostOf: (url) => routeOf(at(url), url.pathname)?.host,
    find(url) {
      const found = at(url)
      const route = routeOf(found, url.pathname)
      if (route) {
        const { mount } = route
        const inside = insideOf(route, url.pathname, basePath)
        return { mount: { base: mount, outside: mount, inside } }
      }
      // Other paths of a host of the user's own may be answered by other handlers.
      const isKnown = hosts === 'documented' && found.length > 0
      return isKnown ? { whyNone: noRouteText(found, url.pathname) } : undefined
    },
  }
}

/** A mount of some paths of a host. */
interface MountBelow extends Mount {
  /** The path that requests begin with. */
  readonly below: string
}

/** Any base path of the code under test stands for the root of the API. */
function mountsAt(
  { pathname }: URL,
  host: Host,
  { basePath }: OwnAddresses,
): readonly MountBelow[] {
  const path = pathname.replace(/\/+$/, '')
  const api = { below: path, outside: path, inside: `${basePath}/v1` }
  if (host !== 'training' || !path.endsWith('/v1')) return [api]
  // The base URL of clients of runs and artifacts has no `/v1`. Contents have the address that the emulator gives out.
  const root = path.slice(0, -'/v1'.length)
  const beside = PLATFORM_PATHS.map((each) => {
    return { below: root + each, outside: root, inside: basePath }
  })
  const contents = basePath + STORAGE_PATH
  return [api, ...beside, { below: contents, outside: '', inside: '' }]
}

/** Whether a URL is this address or is below it. */
function isBelow(address: string, url: string): boolean {
  if (!url.startsWith(address)) return false
  const next = url[address.length]
  return next === undefined || next === '/' || next === '?' || next === '#'
}

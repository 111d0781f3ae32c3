import { ApiError } from '../../service/contract/errors.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import { PLATFORM_PATHS, STORAGE_PATH } from '../../service/api/platform/paths.js'
import { didYouMean } from '../../base/text/nearest.js'
import { Options, webUrl, type Kind } from '../../base/text/options.js'
import { INTERCEPTED_APIS, type InterceptedApi } from '../../base/text/vendor/hosts.js'
import type { Transport } from '../../webhooks/sending/transport.js'
import { CLOSED, createResponder, type HostOf, type Mount } from './fetch.js'
import type { Handler } from './node-http.js'
import {
  documentedRoutes,
  insideOf,
  noRouteText,
  routeFor,
  routeOf,
  Routes,
  routesTo,
  type HostRoutes,
  type Route,
  type ServiceHosts,
} from './routes.js'

/** The options of `handlers`. */
export interface HandlersOptions {
  /**
   * The base URL at which the code under test calls the training API. The handler answers requests below
   * it, and no others of that origin. If it ends in `/v1`, runs and artifacts are answered beside it, as the
   * service does: at `/graphql`, for example. Default: the emulator's own URL.
   */
  trainingUrl?: string
  /** The base URL at which the code under test calls the inference API. Default: the emulator's own URL. */
  inferenceUrl?: string
  /**
   * The hosts of a real service, for code that names them. They are answered as well, also without TLS and at other
   * ports; of this machine, only the named port. An unknown path below an address gets the 404 of the emulator.
   * `documented` is all known addresses of the documented service: there, a path that belongs to no API gets 404, too.
   * Uploads and downloads go to the host that was called. Default: none.
   */
  hosts?: 'documented' | ServiceHosts
}

/** One address of an API, or several. */
function addressesOf(api: InterceptedApi): Kind {
  return {
    check(value, place) {
      for (const each of [value].flat()) {
        if (typeof each !== 'string') return place.wrong(each, 'an address, or a list of addresses')
        try {
          routeFor(api, each)
        } catch (error) {
          place.refuse(`cannot be used. ${(error as Error).message}`)
        }
      }
    },
  }
}

export const serviceHosts = new Options<ServiceHosts>('handlers', {
  training: addressesOf('training'),
  inference: addressesOf('inference'),
  platform: addressesOf('platform'),
})

const hostsKind: Kind = {
  check(value, place) {
    if (value === 'documented') return
    if (typeof value === 'object') return serviceHosts.checkAt(value, place)
    const expected = `"documented", or an object with addresses for ${INTERCEPTED_APIS.join(', ')}`
    place.wrong(value, expected, (written) => didYouMean(written, ['documented']))
  },
}

export const handlersOptions = new Options<HandlersOptions>('handlers', {
  trainingUrl: webUrl,
  inferenceUrl: webUrl,
  hosts: hostsKind,
})

/** What `handlers` needs: an emulator. */
export interface Mocked {
  /** Answers a request. */
  readonly handle: Handler
  /** @internal */
  readonly receive?: ReceiveContent
  /** The path before `/v1`. */
  readonly basePath: string
  /** The base URL of the training API. */
  readonly trainingUrl: string
  /** The base URL of the inference API. */
  readonly inferenceUrl: string
  /** @internal */
  readonly transport: Transport
  /** Whether it was closed. Its handlers then answer 410. */
  readonly closed?: boolean
}

type Resolver = (info: { request: Request }) => Response | Promise<Response>

/** The parts of MSW that handlers use. They are the same in versions 2 and 3. */
export interface Msw<Made> {
  readonly http: {
    all: (
      predicate: (info: { request: Request }) => boolean | Promise<boolean>,
      resolver: Resolver,
    ) => Made
  }
  readonly HttpResponse: { error: () => Response }
  readonly passthrough: () => Response
  /** Exists only in version 2. */
  readonly SetupApi?: unknown
}

/**
 * Creates `handlers` for a version of MSW. The handlers of one major version fail in a server of another
 * one.
 */
export function handlersFrom<Made>({ http, HttpResponse, passthrough, SetupApi }: Msw<Made>) {
  // MSW tries its handlers in turn. It would decode the paths of patterns.
  const handlerFor = (emulator: Mocked, { mountOf, hostOf, whyNone }: Addresses): Made => {
    const respond = createResponder(emulator.handle, hostOf, {
      mount: (request) => mountOf(request) ?? WHOLE_ORIGIN,
      receive: emulator.receive,
      // In version 2, requests have the client's redirect mode, and a redirect of a body fails. Version 3
      // works on sockets, so that the client follows redirects itself. There, a stream without chunks would end
      // with the connection, and one that breaks off would look complete.
      ...(SetupApi === undefined && {
        redirect: 'manual',
        streamHeaders: { 'transfer-encoding': 'chunked' },
      }),
    })
    return http.all(
      ({ request }) => mountOf(request) !== undefined || whyNone?.(request) !== undefined,
      // A network error, as a client in a browser sees it.
      ({ request }) => {
        if (!mountOf(request)) return new Response(`${whyNone?.(request)}\n`, { status: 404 })
        if (emulator.closed) return gone(hostOf(new URL(request.url))!)
        return respond(request).catch(() => HttpResponse.error())
      },
    )
  }

  return (emulator: Mocked, options: HandlersOptions = {}): Made[] => {
    handlersOptions.check(options)
    const { transport } = emulator
    transport.intercepted = true
    const { trainingUrl, inferenceUrl, hosts } = options
    const addresses = [
      addressOf(emulator, 'training', trainingUrl),
      addressOf(emulator, 'inference', inferenceUrl),
      ...(hosts === undefined ? [] : [addressesOfHosts(emulator, hosts)]),
    ]
    return [
      ...addresses.map((each) => handlerFor(emulator, each)),
      // A server that refuses unhandled requests must not refuse the emulator's own webhooks.
      http.all(
        ({ request }) => transport.has(request),
        () => passthrough(),
      ),
    ]
  }
}

/** The addresses that a handler answers. */
interface Addresses {
  /** Undefined for a request that goes elsewhere. */
  readonly mountOf: (request: Request) => Mount | undefined
  readonly hostOf: HostOf
  /** Why a request of one of these hosts belongs to no API. Undefined if it does, or goes elsewhere. */
  readonly whyNone?: (request: Request) => string | undefined
}

/** One host of an emulator, at its own address or at the one that the code under test calls. */
function addressOf(emulator: Mocked, host: Host, url: string | undefined): Addresses {
  const own = host === 'training' ? 'trainingUrl' : 'inferenceUrl'
  const base = url === undefined ? undefined : new URL(url)
  // Read for each request: the address changes when the emulator starts to listen.
  const origin = (): string => (base ?? new URL(emulator[own])).origin
  const mounts = base ? mountsAt(base, host, emulator) : [WHOLE_ORIGIN]
  return {
    hostOf: () => host,
    mountOf: ({ url: called }) => mounts.find(({ below }) => isBelow(origin() + below, called)),
  }
}

/** The hosts of a real service. */
function addressesOfHosts({ basePath }: Mocked, hosts: 'documented' | ServiceHosts): Addresses {
  const routes = new Routes(hosts === 'documented' ? documentedRoutes() : routesTo(hosts))
  const at = ({ protocol, hostname, port }: URL): HostRoutes | undefined =>
    routes.of(hostname, Number(port) || (protocol === 'http:' ? 80 : 443))
  const routeTo = (url: URL): Route | undefined => {
    const found = at(url)
    return found && routeOf(found, url.pathname)
  }
  return {
    hostOf: (url) => routeTo(url)?.host,
    mountOf(request) {
      const url = new URL(request.url)
      const route = routeTo(url)
      if (!route) return undefined
      const { mount } = route
      return { base: mount, outside: mount, inside: insideOf(route, url.pathname, basePath) }
    },
    // Other paths of a host of the user's own may be answered by other handlers.
    ...(hosts === 'documented' && {
      whyNone({ url: called }) {
        const url = new URL(called)
        const found = at(url)
        return found && !routeOf(found, url.pathname) ? noRouteText(found, url.pathname) : undefined
      },
    }),
  }
}

/** A mount of some paths of a host. */
interface MountBelow extends Mount {
  /** The path that requests begin with. */
  readonly below: string
}

const WHOLE_ORIGIN: MountBelow = { below: '', outside: '', inside: '' }

/** Any base path of the code under test stands for the root of the API. */
function mountsAt({ pathname }: URL, host: Host, { basePath }: Mocked): readonly MountBelow[] {
  const path = pathname.replace(/\/$/, '')
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

/** Network errors of MSW have no message, so a closed emulator answers. Clients don't retry a 410. */
function gone(host: Host): Response {
  const error = new ApiError(410, `Failed: ${CLOSED}`)
  return Response.json(error.bodyFor(host), { status: error.status })
}

/** Whether a URL is this address or is below it. */
function isBelow(address: string, url: string): boolean {
  if (!url.startsWith(address)) return false
  const next = url[address.length]
  return next === undefined || next === '/' || next === '?' || next === '#'
}

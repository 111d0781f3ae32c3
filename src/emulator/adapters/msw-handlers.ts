import { ApiError } from '../../service/contract/errors.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import { PLATFORM_PATHS, STORAGE_PATH } from '../../service/api/platform/paths.js'
import { Options, webUrl } from '../../base/text/options.js'
import type { Transport } from '../../webhooks/sending/transport.js'
import { CLOSED, createResponder } from './fetch.js'
import type { Handler } from './node-http.js'

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
}

export const handlersOptions = new Options<HandlersOptions>('handlers', {
  trainingUrl: webUrl,
  inferenceUrl: webUrl,
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
  // One handler for each host: MSW tries its handlers in turn, and decodes the paths of patterns.
  function handlerFor(emulator: Mocked, host: Host, url: string | undefined): Made {
    const own = host === 'training' ? 'trainingUrl' : 'inferenceUrl'
    const base = url === undefined ? undefined : new URL(url)
    // Read for each request: the address changes when the emulator starts to listen.
    const origin = (): string => (base ?? new URL(emulator[own])).origin
    const mounts = base ? mountsAt(base, host, emulator) : [WHOLE_ORIGIN]
    const mountOf = (request: Request): Mount | undefined => {
      return mounts.find(({ below }) => isBelow(origin() + below, request.url))
    }
    const respond = createResponder(emulator.handle, () => host, {
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
      ({ request }) => mountOf(request) !== undefined,
      // A network error, as a client in a browser sees it.
      ({ request }) => {
        if (emulator.closed) return gone(host)
        return respond(request).catch(() => HttpResponse.error())
      },
    )
  }

  return (emulator: Mocked, options: HandlersOptions = {}): Made[] => {
    handlersOptions.check(options)
    const { transport } = emulator
    transport.intercepted = true
    return [
      handlerFor(emulator, 'training', options.trainingUrl),
      handlerFor(emulator, 'inference', options.inferenceUrl),
      // A server that refuses unhandled requests must not refuse the emulator's own webhooks.
      http.all(
        ({ request }) => transport.has(request),
        () => passthrough(),
      ),
    ]
  }
}

/** Where paths of the code under test lead to. */
interface Mount {
  /** The path that requests begin with. */
  readonly below: string
  /** What `inside` replaces in it. */
  readonly outside: string
  readonly inside: string
}

const WHOLE_ORIGIN: Mount = { below: '', outside: '', inside: '' }

/** Any base path of the code under test stands for the root of the API. */
function mountsAt({ pathname }: URL, host: Host, { basePath }: Mocked): readonly Mount[] {
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

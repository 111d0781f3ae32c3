import { ApiError } from '../contract/errors.js'
import type { Host } from '../contract/exchange.js'
import { Options, webUrl } from '../text/options.js'
import type { Transport } from '../webhooks/transport.js'
import { CLOSED, createResponder } from './fetch.js'
import type { Handler } from './node-http.js'

export interface HandlersOptions {
  /**
   * The base URL at which the code under test calls the training API, if it is not the emulator's
   * own: what is below it is answered, and nothing else of that origin.
   */
  trainingUrl?: string
  inferenceUrl?: string
}

export const handlersOptions = new Options<HandlersOptions>('handlers', {
  trainingUrl: webUrl,
  inferenceUrl: webUrl,
})

/** An emulator, as far as handlers need it. */
export interface Mocked {
  readonly handle: Handler
  readonly basePath: string
  readonly trainingUrl: string
  readonly inferenceUrl: string
  readonly outgoing: Transport
  readonly closed?: boolean
}

type Resolver = (info: { request: Request }) => Response | Promise<Response>

/** The parts of MSW that handlers are made of; the same in versions 2 and 3. */
export interface Msw<Made> {
  readonly http: {
    all: (
      predicate: (info: { request: Request }) => boolean | Promise<boolean>,
      resolver: Resolver,
    ) => Made
  }
  readonly HttpResponse: { error: () => Response }
  readonly passthrough: () => Response
  /** In version 2 alone. */
  readonly SetupApi?: unknown
}

/** Makes `handlers` out of an MSW, since handlers of one major half-work in a server of another. */
export function handlersFrom<Made>({ http, HttpResponse, passthrough, SetupApi }: Msw<Made>) {
  // One catch-all a host: MSW tries its handlers in turn, and decodes the paths of patterns.
  function handlerFor(emulator: Mocked, host: Host, url: string | undefined): Made {
    const own = host === 'training' ? 'trainingUrl' : 'inferenceUrl'
    const base = url === undefined ? undefined : new URL(url)
    const outside = base?.pathname.replace(/\/$/, '') ?? ''
    // Asked for each request: an emulator that listens has another address.
    const start = (): string => (base ?? new URL(emulator[own])).origin + outside
    // Whatever path the code under test calls it by, it is the API.
    const inside = base === undefined ? '' : `${emulator.basePath}/v1`
    const respond = createResponder(emulator.handle, () => host, {
      mount: { outside, inside },
      // Version 2 is told what the client thinks of redirects, and refuses those of a body. Version 3
      // sees sockets and knows nothing of it, so that its client follows by itself.
      ...(SetupApi === undefined && { redirect: 'manual' }),
    })
    return http.all(
      ({ request }) => isBelow(start(), request.url),
      // A lost connection, as a browser-shaped client sees it.
      ({ request }) => {
        if (emulator.closed) return gone(host)
        return respond(request).catch(() => HttpResponse.error())
      },
    )
  }

  return (emulator: Mocked, options: HandlersOptions = {}): Made[] => {
    handlersOptions.check(options)
    const { outgoing } = emulator
    outgoing.intercepted = true
    return [
      handlerFor(emulator, 'training', options.trainingUrl),
      handlerFor(emulator, 'inference', options.inferenceUrl),
      // A server that refuses what it does not know must not refuse what we send ourselves.
      http.all(
        ({ request }) => outgoing.has(request),
        () => passthrough(),
      ),
    ]
  }
}

/** MSW's network errors carry no message, so a closed emulator answers. Clients do not retry a 410. */
function gone(host: Host): Response {
  const error = new ApiError(410, `Failed: ${CLOSED}`)
  return Response.json(error.bodyFor(host), { status: error.status })
}

/** Whether a URL is that address, or a path or query below it. */
function isBelow(address: string, url: string): boolean {
  if (!url.startsWith(address)) return false
  const next = url[address.length]
  return next === undefined || next === '/' || next === '?' || next === '#'
}

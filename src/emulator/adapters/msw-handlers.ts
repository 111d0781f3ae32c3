import { ApiError } from '../../service/contract/errors.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import { anEmulator, checkArgument } from '../../base/text/options.js'
import type { Transport } from '../../webhooks/sending/transport.js'
import { CLOSED, createResponder, WHOLE_ORIGIN } from './fetch.js'
import { handlersOptions, type HandlersOptions } from './handlers-options.js'
import { addressesFor, type OwnAddresses, type Addresses } from './mocked-addresses.js'
import type { Handler } from './node-http.js'

/** What `handlers` needs: an emulator. */
export interface Mocked extends OwnAddresses {
  /** Answers a request. */
  readonly handle: Handler
  /** @internal */
  readonly receive?: ReceiveContent
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
  const handlerFor = (emulator: Mocked, { find, hostOf }: Addresses): Made => {
    const respond = createResponder(emulator.handle, hostOf, {
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
      ({ request }) => find(new URL(request.url)) !== undefined,
      ({ request }) => {
        const url = new URL(request.url)
        // The emulator may have begun to listen elsewhere since the handler was chosen.
        const found = find(url) ?? { mount: WHOLE_ORIGIN }
        if ('whyNone' in found) return new Response(`${found.whyNone}\n`, { status: 404 })
        if (emulator.closed) return gone(hostOf(url)!)
        // A network error, as a client in a browser sees it.
        return respond(request, found.mount).catch(() => HttpResponse.error())
      },
    )
  }

  return (emulator: Mocked, options: HandlersOptions = {}): Made[] => {
    checkArgument('handlers', { name: 'emulator', value: emulator, kind: anEmulator })
    handlersOptions.check(options)
    const { transport } = emulator
    transport.intercepted = true
    return [
      ...addressesFor(emulator, options).map((each) => handlerFor(emulator, each)),
      // A server that refuses unhandled requests must not refuse the emulator's own webhooks.
      http.all(
        ({ request }) => transport.has(request),
        () => passthrough(),
      ),
    ]
  }
}

/** Network errors of MSW have no message, so a closed emulator answers. Clients don't retry a 410. */
function gone(host: Host): Response {
  const error = new ApiError(410, `Failed: ${CLOSED}`)
  return Response.json(error.bodyFor(host), { status: error.status })
}

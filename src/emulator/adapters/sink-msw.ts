import { http, HttpResponse, type HttpHandler } from 'msw'
import { Options, required, webUrl } from '../../base/text/options.js'
import type { ReceivedDelivery } from '../../webhooks/sink/received-delivery.js'
import type { Sink } from '../../webhooks/sink/sink.js'
import { createFetch } from './fetch.js'

/** What `sinkHandler` passes requests to: a `WebhookSink`. */
interface Receiver {
  /** What it received, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** @internal */
  readonly receive: Sink['receive']
}

/** The options of `sinkHandler`. */
interface SinkHandlerOptions {
  /** The URL that the sender under test calls. The sink also receives requests below it. */
  url: string
}

export const sinkHandlerOptions = new Options<SinkHandlerOptions>('sinkHandler', {
  url: required(webUrl),
})

/**
 * Creates an MSW handler that passes the requests for a URL, and for URLs below it, to a webhook sink.
 *
 * @param sink The sink that receives the deliveries.
 * @param options The URL that the sender under test calls.
 * @returns A handler for `setupServer`.
 * @throws {OptionsError} When an option is unknown or can't be used.
 * @example
 * const sink = createWebhookSink({ secrets: 's3cret' })
 * const server = setupServer(sinkHandler(sink, { url: 'https://hooks.example.com/' }))
 */
export function sinkHandler(sink: Receiver, options: SinkHandlerOptions): HttpHandler {
  sinkHandlerOptions.check(options)
  const { url } = options
  const { origin, pathname } = new URL(url)
  const below = pathname.replace(/\/$/, '')
  const answer = createFetch(
    (_host, request) => sink.receive(request),
    () => 'training',
  )
  return http.all(
    ({ request }) => {
      const called = new URL(request.url)
      return called.origin === origin && `${called.pathname}/`.startsWith(`${below}/`)
    },
    // A network error, as a client in a browser sees it.
    ({ request }) => answer(request).catch(() => HttpResponse.error()),
  )
}

import { http, HttpResponse, type HttpHandler } from 'msw'
import type { ApiRequest, Outcome } from '../contract/exchange.js'
import { Options, required, webUrl } from '../text/options.js'
import { createFetch } from './fetch.js'

interface Receiver {
  readonly receive: (request: ApiRequest) => Outcome | Promise<Outcome>
}

interface SinkHandlerOptions {
  /** Where the sender under test sends to; what is below it arrives, too. */
  url: string
}

export const sinkHandlerOptions = new Options<SinkHandlerOptions>('sinkHandler', {
  url: required(webUrl),
})

/**
 * An MSW handler: what is sent to `url`, or below it, arrives in the sink. The URL is one that the
 * sender under test calls, such as `https://hooks.example.com/`.
 */
export function sinkHandler(sink: Receiver, options: SinkHandlerOptions): HttpHandler {
  sinkHandlerOptions.check(options)
  const { url } = options
  const { origin: ours, pathname } = new URL(url)
  const below = pathname.replace(/\/$/, '')
  const answer = createFetch(
    (_host, request) => sink.receive(request),
    () => 'training',
  )
  return http.all(
    ({ request }) => {
      const asked = new URL(request.url)
      return asked.origin === ours && `${asked.pathname}/`.startsWith(`${below}/`)
    },
    // A lost connection, as a browser-shaped client sees it.
    ({ request }) => answer(request).catch(() => HttpResponse.error()),
  )
}

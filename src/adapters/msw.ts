import { http, HttpResponse, type HttpHandler } from 'msw'
import type { Host } from '../contract/exchange.js'
import { createFetch } from './fetch.js'
import type { Handler } from './node-http.js'

export { sinkHandler } from './sink-msw.js'

export interface HandlersOptions {
  /**
   * The base URL at which the code under test calls the training API, if it is not the emulator's
   * own: what is below it is answered, and nothing else of that origin.
   */
  trainingUrl?: string
  inferenceUrl?: string
}

interface Mocked {
  readonly handle: Handler
  readonly basePath: string
  readonly trainingUrl: string
  readonly inferenceUrl: string
}

/**
 * MSW handlers, one for each host: `setupServer(...handlers(emulator))`. They answer what is sent to
 * those two addresses, and nothing else.
 */
export function handlers(emulator: Mocked, options: HandlersOptions = {}): HttpHandler[] {
  return [
    handlerFor(emulator, 'training', options.trainingUrl),
    handlerFor(emulator, 'inference', options.inferenceUrl),
  ]
}

function handlerFor(emulator: Mocked, host: Host, url: string | undefined): HttpHandler {
  const own = host === 'training' ? 'trainingUrl' : 'inferenceUrl'
  const base = url === undefined ? undefined : new URL(url)
  const below = base?.pathname.replace(/\/$/, '') ?? ''
  const answer = createFetch(emulator.handle, () => host, {
    // Whatever path the code under test calls it by, it is the API.
    pathOf: (path) =>
      base === undefined ? path : `${emulator.basePath}/v1${path.slice(below.length)}`,
  })
  // One catch-all a host: MSW tries its handlers in turn, and decodes the paths of patterns.
  return http.all(
    ({ request }) => {
      const { origin, pathname } = new URL(request.url)
      // Asked for each request: an emulator that listens has another address.
      if (origin !== (base ?? new URL(emulator[own])).origin) return false
      return `${pathname}/`.startsWith(`${below}/`)
    },
    // A lost connection, as a browser-shaped client sees it.
    ({ request }) => answer(request).catch(() => HttpResponse.error()),
  )
}

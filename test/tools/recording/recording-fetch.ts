import type { Host } from '../../../src/service/contract/exchange.js'
import { networkError } from '../../../src/base/text/network-error.js'
import type { Recorder, ResponseRecorder } from '../../../src/tools/recording/recorder.js'

/** How `recordingFetch` tells requests to the service from others. */
export interface RecordingFetchOptions {
  readonly recorder: Recorder
  /** The base URL of the training API. */
  readonly trainingUrl: string
  /** The base URL of the inference API. Default: that of the training API. */
  readonly inferenceUrl?: string
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** Returns a `fetch` that records what it sends to the service, without a port. Other requests are only sent. */
export function recordingFetch(options: RecordingFetchOptions): typeof fetch {
  const { recorder, trainingUrl, inferenceUrl = trainingUrl, fetch: send = fetch } = options
  const hostOf = (url: URL): Host | undefined => {
    if (url.origin === new URL(trainingUrl).origin) return 'training'
    return url.origin === new URL(inferenceUrl).origin ? 'inference' : undefined
  }
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const host = hostOf(url)
    if (host === undefined) return send(request)
    const body = request.body === null ? undefined : await request.clone().text()
    const recorded = recorder.request({
      host,
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
      body,
    })
    try {
      const response = await send(request)
      recorded.response(response.status, Object.fromEntries(response.headers))
      return watched(response, recorded, request)
    } catch (error) {
      recorded.end(request.signal.aborted ? 'client_left' : 'lost', networkError(error))
      throw error
    }
  }
}

/** Returns the same response, and records its body while it is read. */
function watched(response: Response, recorded: ResponseRecorder, request: Request): Response {
  if (response.body === null) {
    recorded.end()
    return response
  }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          recorded.chunk(decoder.decode())
          recorded.end()
          controller.close()
        } else {
          recorded.chunk(decoder.decode(value, { stream: true }))
          controller.enqueue(value)
        }
      } catch (error) {
        recorded.end(request.signal.aborted ? 'client_left' : 'lost', networkError(error))
        controller.error(error)
      }
    },
    async cancel(reason) {
      recorded.end('client_left')
      await reader.cancel(reason)
    },
  })
  const { status, statusText, headers } = response
  const copy = new Response(body, { status, statusText, headers })
  Object.defineProperty(copy, 'url', { value: response.url })
  return copy
}

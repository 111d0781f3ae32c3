import { EMPTY_BODY, type ApiRequest, type Host, type Outcome } from '../contract/exchange.js'
import { inBatches } from './in-batches.js'

/** Says which of the two hosts an address belongs to; undefined where it is neither's. */
export type HostOf = (url: URL) => Host | undefined

/**
 * The emulator as a fetch function: no port, no interception. A URL that is not the emulator's is
 * refused as fetch refuses an unreachable one, with a `TypeError` that says so.
 */
export function createFetch(
  handle: (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>,
  hostOf: HostOf,
  { pathOf = (path) => path }: { pathOf?: (path: string) => string } = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const headers = Object.fromEntries(request.headers)
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : EMPTY_BODY
    const send = async (url: URL): Promise<Response> => {
      const outcome = await handle(ownHost(url, hostOf), {
        method: request.method,
        base: url.origin,
        path: pathOf(url.pathname),
        query: url.search.slice(1),
        headers,
        body,
      })
      if (outcome.kind === 'hang') await outcome.until
      if (outcome.kind === 'hang' || outcome.kind === 'disconnect') throw connectionLost()
      const location = outcome.status === 307 ? outcome.headers.location : undefined
      if (location && request.redirect === 'follow') return send(new URL(location, url))
      return toResponse(outcome)
    }
    return unlessAborted(send(new URL(request.url)), request.signal)
  }
}

/** Whoever stops waiting is let go at once, however long the answer is held back. */
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    const done = (): void => signal.removeEventListener('abort', abort)
    answer.then(resolve, reject).finally(done)
  })
}

/** What Node's fetch rejects with when the other side closes the connection. */
function connectionLost(): TypeError {
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  return new TypeError('fetch failed', { cause })
}

type Answer = Extract<Outcome, { kind: 'response' | 'stream' }>

function ownHost(url: URL, hostOf: HostOf): Host {
  const host = hostOf(url)
  if (host) return host
  throw new TypeError('fetch failed', {
    cause: new Error(`${url.origin} is not an address of this emulator`),
  })
}

function toResponse(outcome: Answer): Response {
  const { status, headers } = outcome
  if (outcome.kind === 'response') return new Response(outcome.body, { status, headers })
  return new Response(readable(outcome.chunks), { status, headers })
}

function readable(chunks: AsyncIterable<string> | Iterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = (async function* () {
    try {
      for await (const chunk of inBatches(chunks)) yield encoder.encode(chunk)
    } catch (cause) {
      // As Node's fetch puts it when an answer breaks off.
      throw new TypeError('terminated', { cause })
    }
  })()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return()
    },
  })
}

import { withoutLogin } from '../../base/text/authority.js'
import type { Redact } from '../../base/text/redaction/redact.js'
import { shortened } from '../../base/text/shortened.js'
import { sameBytes } from '../../base/text/same-bytes.js'

/** An HTTP request that the emulator sends. Its method is POST. */
export interface DeliveryRequest {
  /** The URL of the receiver. */
  readonly url: string
  /** The headers to send. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes to send. */
  readonly body: Uint8Array
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal
}

/** The response to a request that was sent. */
export interface Answered {
  /** The HTTP status. */
  readonly status: number
  /** The beginning of the response body. */
  readonly body: string
}

/**
 * Sends a request and reads the beginning of the response. Follows no redirect. Rejects with the network's
 * error if there is no response.
 */
export type Send = (request: DeliveryRequest) => Promise<Answered>

/** How many characters of a response are kept. The rest is not read. */
const EXCERPT = 1000

interface UnderWay {
  readonly method: string
  readonly url: string
  readonly body: Uint8Array
}

interface TransportOptions {
  /** Sends everything, instead of the pool and fetch. */
  send?: Send | undefined
  /** A faster way than fetch, used unless requests of this process are intercepted. */
  pool?: Send | undefined
}

/**
 * Puts bytes on the wire: through your own function, over pooled connections, or through fetch.
 *
 * An interceptor tells these requests from those of the code under test by their bytes: a mark on the
 * wire would reach the receivers. See `has`.
 */
export class Transport {
  /** Whether requests of this process are intercepted, so that a mock must see what is sent. */
  intercepted = false
  readonly #options: TransportOptions
  readonly #underWay = new Set<UnderWay>()

  constructor(options: TransportOptions = {}) {
    this.#options = options
  }

  /** Sends a request over the network. */
  readonly send: Send = (request) => {
    const { send: own, pool } = this.#options
    const send = own ?? (this.intercepted ? undefined : pool) ?? sendWith(this.fetch)
    return send(request)
  }

  /** Sends through the global fetch function of this moment, which an interceptor may have replaced. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const sent = await describe(request)
    this.#underWay.add(sent)
    try {
      return await globalThis.fetch(request)
    } finally {
      this.#underWay.delete(sent)
    }
  }

  /** Whether a request is one of those under way. Does not read its body. */
  async has(request: Request): Promise<boolean> {
    const { method, url } = request
    const candidates = [...this.#underWay].filter(
      (sent) => sent.method === method && sent.url === url,
    )
    if (candidates.length === 0) return false
    const { body } = await describe(request)
    return candidates.some((sent) => sameBytes(sent.body, body))
  }
}

async function describe(request: Request): Promise<UnderWay> {
  const { method, url } = request
  return { method, url, body: new Uint8Array(await request.clone().arrayBuffer()) }
}

/** Makes a `Send` from a fetch function. User and password of the URL are not sent. */
export function sendWith(fetch: typeof globalThis.fetch): Send {
  return async ({ url, headers, body, signal }) => {
    const init = { method: 'POST', headers, body: body as BodyInit, signal }
    const response = await fetch(withoutLogin(url), { ...init, redirect: 'manual' })
    return { status: response.status, body: await beginning(response.body) }
  }
}

/** Returns the first `EXCERPT` characters of a body. */
export async function beginning(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null,
): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of chunks ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length >= EXCERPT) break
  }
  // A character of two units may be cut in half.
  return text.slice(0, EXCERPT).replace(/[\ud800-\udbff]$/, '\ufffd')
}

/** The most characters of a response that a log line shows. */
const LONGEST = 160

/** Removes secrets from the beginning of a response, which may end in the middle of one. */
export function redactedAnswer(answer: string, redact: Redact): string {
  return redact(answer, { isCut: answer.length === EXCERPT })
}

/** Formats a response for the end of a log line: redacted, on one line, shortened. */
export function answerInOneLine(answer: string, redact: Redact): string {
  // A secret that is cut in half would not be recognized.
  return shortened(redactedAnswer(answer, redact).replaceAll(/\s+/g, ' ').trim(), LONGEST)
}

import { sameBytes } from '../text/same-bytes.js'
import { sendBy, type Send } from './send.js'

interface UnderWay {
  readonly method: string
  readonly url: string
  readonly body: Uint8Array
}

interface OutgoingOptions {
  /** How everything is sent, if not as it is here. */
  send?: Send | undefined
  /** A quicker way than fetch, for as long as nobody intercepts. */
  pool?: Send | undefined
}

/**
 * What the emulator itself sends to others, known while it is under way. Interception tells it from
 * the requests of the code under test by what it is, byte for byte: a mark on the wire would reach
 * the receivers.
 */
export class Outgoing {
  /** Whether this process is intercepted, so that what is sent must pass where a mock can see it. */
  intercepted = false
  readonly #own: Send | undefined
  readonly #pool: Send | undefined
  readonly #underWay = new Set<UnderWay>()

  constructor({ send, pool }: OutgoingOptions = {}) {
    this.#own = send
    this.#pool = pool
  }

  readonly send: Send = (request) => {
    if (this.#own) return this.#own(request)
    if (this.#pool && !this.intercepted) return this.#pool(request)
    return sendBy(this.fetch)(request)
  }

  /** Sends through the fetch of this moment, which an interceptor may have put in its place. */
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

  /** Whether a request is one of those under way. Leaves its body unread. */
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

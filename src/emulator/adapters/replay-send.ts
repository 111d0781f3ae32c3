import type { RecordedDelivery } from '../../webhooks/sink/replay.js'
import { loginOf, withoutLogin } from '../../base/text/authority.js'
import { networkError } from '../../base/text/network-error.js'
import { beginning } from '../../webhooks/sending/transport.js'
import { cancelTimer, startTimer, wallNow, wallSince } from '../../base/clock/wall.js'
import { connectionHeaders, OF_NEXT_CONNECTION } from './connection-headers.js'

/** A delivery that is sent again. */
export interface Resent {
  readonly delivery: RecordedDelivery
  /** All headers. Those of a connection are left out. */
  readonly headers: Readonly<Record<string, string>>
}

/** How the receiver answered. */
export interface ReplayAnswer {
  /** Undefined: no answer came. */
  readonly status: number | undefined
  /** The beginning of the body, or why no answer came. */
  readonly text: string
  /** In milliseconds. */
  readonly took: number
}

/** Sends recorded deliveries to a receiver, byte for byte. It adds only the headers of the connection. */
export class ReplaySender {
  readonly #url: URL
  /** The login of the URL, for deliveries that have no authorization of their own. */
  readonly #login: string | undefined
  readonly #within: number

  constructor(url: string, within: number) {
    this.#url = withoutLogin(url)
    this.#login = loginOf(new URL(url))
    this.#within = within
  }

  async send({ delivery, headers }: Resent): Promise<ReplayAnswer> {
    const { request } = await import('undici')
    const dropped = connectionHeaders(headers.connection, OF_NEXT_CONNECTION)
    const all = { ...(this.#login && { authorization: this.#login }), ...headers }
    const start = wallNow()
    const stop = new AbortController()
    const timer = startTimer(this.#within, () => {
      stop.abort(new Error(`no answer within ${this.#within} ms`))
    })
    try {
      const { statusCode, body } = await request(this.#url, {
        method: delivery.method as 'POST',
        headers: Object.fromEntries(Object.entries(all).filter(([name]) => !dropped.has(name))),
        body: delivery.body,
        signal: stop.signal,
      })
      const text = await beginning(body)
      return { status: statusCode, text, took: wallSince(start) }
    } catch (error) {
      const reason: unknown = stop.signal.aborted ? stop.signal.reason : error
      return { status: undefined, text: networkError(reason), took: wallSince(start) }
    } finally {
      cancelTimer(timer)
    }
  }
}

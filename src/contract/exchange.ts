/**
 * One request and what became of it, as plain data. Not fetch's classes: these cost nothing to
 * build, run in browsers too, and keep the raw bytes raw. Every transport converts to and from them.
 */

/** Which of the service's two addresses a request was sent to. */
export type Host = 'training' | 'inference'

/** Which API an operation is part of: the control API shares the training API's address. */
export type Api = Host | 'control'

export interface ApiRequest {
  /** Upper case. */
  method: string
  /** What stands before the path in the URL: scheme, authority and mount point. */
  base: string
  /** The path as received, escapes included, without the query. */
  path: string
  /** What follows the `?`, or the empty string. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The raw bytes, or `too-large` where the transport stopped reading at `BODY_LIMIT`. */
  body: Uint8Array | 'too-large'
  /** Whether it came from another machine; said of calls of the control API only. */
  distant?: boolean
}

/** The largest body, in bytes, that is read; a longer one is answered with 413. */
export const BODY_LIMIT = 256 * 1024 * 1024

export const EMPTY_BODY = new Uint8Array(0)

export type Outcome =
  | {
      kind: 'response'
      status: number
      headers: Readonly<Record<string, string>>
      body: string
      /** Of an error: why, for the journal. It is not sent. */
      reason?: string
    }
  | {
      kind: 'stream'
      status: number
      headers: Readonly<Record<string, string>>
      chunks: AsyncIterable<string> | Iterable<string>
    }
  /** The connection is closed without an answer. */
  | { kind: 'disconnect' }
  /**
   * No answer comes, until the promise resolves; then the connection is closed. `leave` is to be called
   * once the client has gone: nothing is kept for it any longer.
   */
  | { kind: 'hang'; until: Promise<void>; leave: () => void }

export const DISCONNECT: Outcome = { kind: 'disconnect' }

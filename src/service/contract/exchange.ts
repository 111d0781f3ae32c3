import type { ContentReceiver } from './content.js'

/**
 * A request and its outcome, as plain data. Unlike the classes of fetch, these objects are cheap and keep the
 * raw bytes. Every transport converts to and from them.
 */

/** The host of the service that a request was sent to. */
export type Host = 'training' | 'inference'

/** The API that an operation belongs to. The control API shares the address of the training API. */
export type Api = Host | 'control'

/** A request, as plain data with its raw body. */
export interface ApiRequest {
  /** The HTTP method, in upper case. */
  method: string
  /** The URL before the path: scheme, authority and mount point. */
  base: string
  /** The path as received, including escapes, without the query. */
  path: string
  /** The text after the `?`, or an empty text. */
  query: string
  /** The headers, with names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The raw bytes, or `too-large` if there are more than 256 MiB. */
  body: Uint8Array | 'too-large'
  /**
   * The content of a file that was received in parts. `body` is empty then.
   *
   * @internal
   */
  content?: ContentReceiver | undefined
  /** Whether the request came from another machine. Only set for calls of the control API. */
  distant?: boolean
}

/** The largest body in bytes. A larger one gets 413. */
export const BODY_LIMIT = 256 * 1024 * 1024

export const EMPTY_BODY = new Uint8Array(0)

/** A part of the body of an answer: text, or bytes. */
export type Chunk = string | Uint8Array

/** The parts of a body. They are in order, and may come over time. */
export type Chunks = AsyncIterable<Chunk> | Iterable<Chunk>

/** What happens to a request: a response, a stream, a closed connection, or no response at all. */
export type Outcome =
  | {
      kind: 'response'
      status: number
      headers: Readonly<Record<string, string>>
      body: string
      /** The reason for an error, for the journal. It is not sent. */
      reason?: string
    }
  | {
      kind: 'stream'
      status: number
      headers: Readonly<Record<string, string>>
      /** The parts of the body. Those of a download are bytes, and all others are text. */
      chunks: Chunks
      /** Set if the stream never ends by itself. Call it when the client disconnects. */
      leave?: () => void
      /** Set with `leave`: whether the client left, before the world ended. */
      until?: Promise<boolean>
      /** Set if the connection breaks on purpose before the answer is complete. */
      broken?: true
    }
  /** The connection is closed without an answer. */
  | { kind: 'disconnect' }
  /**
   * No response is sent. Close the connection when `until` resolves: true if the client left. Call `leave` when the client disconnects.
   */
  | { kind: 'hang'; until: Promise<boolean>; leave: () => void }

/** Thrown by the chunks of a stream that ends early on purpose: a fault of the scenario, or the end of the world. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}

export const DISCONNECT: Outcome = { kind: 'disconnect' }

/** A content that a client sends, as far as it has arrived. */
export interface ReceivedContent {
  /** How many bytes have arrived. */
  readonly size: number
  /** Its MD5 in base64, once all of it is there. */
  readonly digest: string | undefined
  /** Why it cannot be used: it is too large, it broke off, or there is no room. */
  readonly problem: Error | undefined
  /**
   * Stores it for good.
   *
   * @returns The bytes. Undefined if they are in a file now.
   * @throws {Error} When it cannot be stored.
   */
  keep(): Uint8Array | undefined
  /** Gives it up, unless it was kept. */
  discard(): void
}

/** Takes a content as it arrives, so that a large one is never in memory as a whole. */
export interface ContentReceiver extends ReceivedContent {
  /** Takes the next bytes. False: no more are wanted, because the content cannot be used. */
  write(bytes: Uint8Array): boolean
  /** All bytes have arrived. Resolves when they are safe. */
  end(): Promise<void>
  /** The client left before the end. */
  breakOff(): void
}

/** Takes the content in a request. Undefined: the request uploads none, and its body is read as any other. */
export type ReceiveContent = (
  host: 'training' | 'inference',
  request: Pick<RequestHead, 'method' | 'path' | 'query' | 'headers'>,
) => ContentReceiver | undefined

interface RequestHead {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Where contents are beside memory, such as a folder. Each has the name of its MD5 in base64. */
export interface BlobFiles {
  /**
   * Writes a content before it returns.
   *
   * @throws {PlatformError} When it cannot be written. Nothing of it is left.
   */
  write(digest: string, bytes: Uint8Array): void
  /**
   * Begins a content that arrives in parts.
   *
   * @throws {PlatformError} When nothing can be written.
   */
  begin(): ContentWriter
  /**
   * Opens a content, and reads it a part at a time.
   *
   * @param size Its size in bytes.
   * @throws {PlatformError} When it is missing, or has another size.
   */
  open(digest: string, size: number): AsyncIterable<Uint8Array>
  /**
   * Reads a whole content.
   *
   * @param size Its size in bytes.
   * @throws {PlatformError} When it is missing, or is another content.
   */
  read(digest: string, size: number): Uint8Array
  /** Writes contents without their names. Other work has its turn in between. */
  prepare(
    contents: ReadonlyMap<string, Uint8Array>,
    turn: () => Promise<void>,
  ): Promise<PreparedContents>
  /** Removes a content, if it is there. */
  remove(digest: string): void
  /** Whether a content with this size is there. */
  has(digest: string, size: number): boolean
  /** The MD5 of each content that is there, in base64. */
  list(): Iterable<string>
}

/** Contents that are on disk, without their names. */
export interface PreparedContents {
  /** Gives them their names. */
  keep(): void
  /** Removes those that have no name. */
  drop(): void
}

/** Writes one content, a part at a time. It has no name before it is kept. */
export interface ContentWriter {
  /** @throws {PlatformError} When there is no room for them. */
  write(bytes: Uint8Array): void
  /** Waits until the bytes are safe, and resolves with their MD5 in base64. */
  finish(): Promise<string>
  /**
   * Gives the content its name.
   *
   * @returns The bytes. Undefined if they are in a file.
   * @throws {PlatformError} When that fails.
   */
  keep(digest: string): Uint8Array | undefined
  /** Removes what was written. */
  drop(): void
}

/** Says whether an emulator is closed, and closes what belongs to it. */
export class Closing {
  #closed = false
  readonly #closers = new Set<() => Promise<void>>()
  #stopping = new AbortController()

  get closed(): boolean {
    return this.#closed
  }

  /** Aborted when the emulator closes. Streams end then. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Calls the function when the emulator closes. */
  add(close: () => Promise<void>): void {
    this.#closers.add(close)
  }

  /** Ends the streams. */
  begin(): void {
    this.#closed = true
    this.#stopping.abort()
    // Streams that open later are answered.
    this.#stopping = new AbortController()
  }

  /** The emulator listens again. */
  reopen(): void {
    this.#closed = false
  }

  /** Closes all that belongs to the emulator. */
  end(): Promise<void>[] {
    return [...this.#closers].map((close) => close())
  }
}

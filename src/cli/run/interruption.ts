/** Ctrl-C and other requests to end. */
export class Interruption {
  readonly #abort = new AbortController()
  readonly #stops: (() => void)[]
  #code: number | undefined

  constructor() {
    const codes = { SIGINT: 130, SIGTERM: 143 } as const
    this.#stops = Object.entries(codes).map(([signal, code]) => {
      const stop = (): void => {
        this.#code ??= code
        this.#abort.abort()
      }
      process.on(signal, stop)
      return () => void process.off(signal, stop)
    })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The exit code, as in a shell. Undefined if nothing interrupted. */
  get code(): number | undefined {
    return this.#code
  }

  /** Leaves signals to others again. */
  end(): void {
    for (const stop of this.#stops) stop()
  }
}

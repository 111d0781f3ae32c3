/** Ctrl-C and other requests to end. */
export class Interruption {
  readonly #abort = new AbortController()
  readonly #stops: (() => void)[]
  readonly signal = this.#abort.signal
  /** The exit code, as in a shell. Undefined if nothing interrupted. */
  code: number | undefined

  constructor() {
    const codes = { SIGINT: 130, SIGTERM: 143 } as const
    this.#stops = Object.entries(codes).map(([signal, code]) => {
      const stop = (): void => {
        this.code ??= code
        this.#abort.abort()
      }
      process.on(signal, stop)
      return () => void process.off(signal, stop)
    })
  }

  /** Leaves signals to others again. */
  end(): void {
    for (const stop of this.#stops) stop()
  }
}

import { ProxiedExchange, type PassedCall, type PassingOptions } from './proxied-exchange.js'

/** Passes calls on to the service, and records them. */
export class PassedCalls {
  readonly #options: PassingOptions
  readonly #open = new Set<ProxiedExchange>()
  /** The origins that have answered at least once. */
  readonly #reached = new Set<string>()
  /** Called when no exchange is open any more. */
  #allEnded = (): void => {}

  constructor(options: PassingOptions) {
    this.#options = options
  }

  pass(call: PassedCall): void {
    const exchange = new ProxiedExchange({
      ...call,
      ...this.#options,
      reached: this.#reached,
      ended: (ended) => {
        this.#open.delete(exchange)
        this.#options.ended(ended)
        if (this.#open.size === 0) this.#allEnded()
      },
    })
    this.#open.add(exchange)
    exchange.begin()
  }

  /** Ends what is still under way. Then the recording has all of it: a compressed answer is decoded first. */
  async close(): Promise<void> {
    const allEnded = new Promise<void>((resolve) => (this.#allEnded = resolve))
    if (this.#open.size === 0) this.#allEnded()
    for (const exchange of this.#open) exchange.stop()
    await allEnded
    await this.#options.dispatcher.destroy()
  }
}

/** Only the client and the service decide how long an answer may take. */
export const PATIENT = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 64 * 1024 } as const

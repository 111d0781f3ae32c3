import { EmulatorError } from '../base/text/emulator-error.js'
import { controlAccess } from '../emulator/adapters/gate.js'
import { listen, type Listening } from '../emulator/adapters/listen.js'
import { listenOptions, type ListenOptions } from '../emulator/adapters/listen-options.js'
import { urlsOf } from '../emulator/adapters/port-url.js'
import { EmulatorWithTools } from './emulator-with-tools.js'

/** An emulator that can listen on ports. */
export class ListeningEmulator extends EmulatorWithTools {
  /** From the moment that the ports are wanted. */
  #listening: Promise<Listening> | undefined
  readonly #closePorts = async (): Promise<void> => {
    const listening = await this.#listening?.catch(() => undefined)
    await listening?.close()
    this.#listening = undefined
    this.servedAt(undefined)
    this.guardControl(undefined)
  }

  /**
   * Serves both hosts on real ports, by default on free ones.
   *
   * @returns The address and ports.
   * @throws {ListenError} When a port cannot be bound.
   * @throws {AlreadyListeningError} When the emulator already listens.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const { port, inferencePort } = await emulator.listen()
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    listenOptions.check(options)
    if (this.#listening) throw new AlreadyListeningError(await this.#listening)
    const { host = '127.0.0.1', controlToken, allowedHosts } = options
    this.guardControl(controlAccess({ host, controlToken, allowedHosts }))
    const { receive } = this
    const { background } = this.journal
    this.#listening = listen(this.handle, { ...options, background, receive })
    this.onClose(this.#closePorts)
    try {
      const listening = await this.#listening
      this.servedAt(urlsOf(listening))
      return listening
    } catch (error) {
      this.#listening = undefined
      this.guardControl(undefined)
      throw error
    }
  }
}

/** `listen` rejects with it when the emulator already listens. Code `SVTRAIN_ALREADY_LISTENING`. */
export class AlreadyListeningError extends EmulatorError {
  override readonly name = 'AlreadyListeningError'
  readonly code = 'SVTRAIN_ALREADY_LISTENING'
  constructor({ port, inferencePort }: Listening) {
    super(
      `Failed to listen: this emulator already listens on ports ${port} and ${inferencePort}. Close it first, or create another.`,
    )
  }
}

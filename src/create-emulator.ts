import { openFromDisk } from './adapters/training-data-files.js'
import { listen, type Listening, type ListenOptions } from './adapters/listen.js'
import { urlsOf } from './adapters/urls.js'
import type { CoreOptions } from './emulator.js'
import { InProcessEmulator, type InProcessOptions } from './in-process-emulator.js'

export interface EmulatorOptions extends InProcessOptions {
  /** Where relative paths of SFT data start. Default: the working directory. */
  dataRoot?: string
}

/**
 * An emulator with a world of its own: nothing is shared between two of them. Raises `ScenarioError`
 * where the scenario is unknown or cannot be used.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  return new Emulator(options)
}

export class Emulator extends InProcessEmulator {
  #listening: Listening | undefined

  constructor(options: EmulatorOptions & Pick<CoreOptions, 'part'>) {
    super({ ...options, openTrainingData: openFromDisk({ dataRoot: options.dataRoot }) })
  }

  /** Serves both hosts on real ports, free ones by default; until then on none. Raises `ListenError`. */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    if (this.#listening) throw new AlreadyListeningError(this.#listening)
    this.#listening = await listen(this.handle, options)
    this.servedAt(urlsOf(this.#listening))
    return this.#listening
  }

  /** Stops listening and cancels everything that is to come. */
  override async close(): Promise<void> {
    await super.close()
    await this.#listening?.close()
    this.#listening = undefined
    this.servedAt(undefined)
  }
}

/** Raised by a second `listen` without a `close` between. Code `SVTRAIN_ALREADY_LISTENING`. */
export class AlreadyListeningError extends Error {
  override readonly name = 'AlreadyListeningError'
  readonly code = 'SVTRAIN_ALREADY_LISTENING'
  constructor({ port, inferencePort }: Listening) {
    super(
      `Failed to listen: this emulator already listens on ports ${port} and ${inferencePort}. Close it first, or create another.`,
    )
  }
}

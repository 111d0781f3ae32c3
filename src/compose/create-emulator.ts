import { openDataFolder } from '../adapters/data-folder.js'
import { poolOfConnections, type PooledSend } from '../adapters/pooled-send.js'
import { openFromDisk } from '../adapters/training-data-files.js'
import {
  controlAccess,
  listen,
  listenOptions,
  urlsOf,
  type Listening,
  type ListenOptions,
} from '../adapters/listen.js'
import { WebhookSink, type WebhookSinkOptions } from './create-sink.js'
import type { CoreOptions } from '../emulator/core-options.js'
import { sinkOptionsFor, type OwnSinkOptions } from './emulator-sink.js'
import {
  InProcessEmulator,
  inProcessOptions,
  type InProcessOptions,
} from './in-process-emulator.js'
import { Outgoing } from '../webhooks/outgoing.js'
import { sendBy } from '../webhooks/send.js'
import { receiversTable } from '../sink/sink.js'
import { nonEmptyText, Options, webUrl } from '../text/options.js'

export interface EmulatorOptions extends InProcessOptions {
  /**
   * A folder in which all of it survives a restart, and a crash; made where there is none. What was
   * left there goes on, with its seed, and its scenario unless another is given.
   */
  data?: string
  /** Where relative paths of SFT data start. Default: the working directory. */
  dataRoot?: string
}

export const emulatorOptions = new Options<EmulatorOptions>('createEmulator', {
  ...inProcessOptions.table,
  data: nonEmptyText,
  dataRoot: nonEmptyText,
})

/**
 * Creates an emulator with a world of its own: two emulators share nothing.
 *
 * @throws OptionsError if an option is unknown or can't be used.
 * @throws ScenarioError if the scenario is unknown or can't be used.
 * @throws DataFolderError or SnapshotError if what is in its folder can't be used.
 * @example
 * const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  emulatorOptions.check(options)
  return new Emulator(options)
}

export class Emulator extends InProcessEmulator {
  readonly #pool: PooledSend
  #listening: Listening | undefined

  constructor(options: EmulatorOptions & Pick<CoreOptions<Emulator>, 'part'>) {
    const { data, dataRoot, isolate, part, send } = options
    if (data !== undefined && isolate) throw new IsolatedDataError()
    const pool = poolOfConnections()
    super({
      ...options,
      storage: data === undefined || part ? undefined : openDataFolder(data),
      openTrainingData: openFromDisk({ dataRoot }),
      outgoing: new Outgoing({ send, pool: pool.send }),
    })
    this.#pool = pool
  }

  /**
   * Serves both hosts on real ports, free ones by default; until then on none. Rejects with
   * `ListenError` or `OptionsError`.
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    listenOptions.check(options)
    if (this.#listening) throw new AlreadyListeningError(this.#listening)
    const { host = '127.0.0.1', controlToken, allowedHosts } = options
    this.guardControl(controlAccess({ host, controlToken, allowedHosts }))
    this.#listening = await listen(this.handle, options)
    this.servedAt(urlsOf(this.#listening))
    return this.#listening
  }

  /**
   * A webhook sink that this emulator sends to from now on, in process, with every event of jobs and
   * artifacts, or with what the scenario's webhooks say that have no URL. It knows the secrets, follows
   * the clock, and tells the journal. Throws `SinkAttachedError` if there is one already,
   * and `OptionsError`.
   */
  createSink(options: EmulatorSinkOptions = {}): WebhookSink {
    emulatorSinkOptions.check(options)
    if (this.sink) throw new SinkAttachedError(this.sink.url)
    const sink = new WebhookSink(sinkOptionsFor(this, options))
    this.attach(sink, sendBy(sink.fetch))
    return sink
  }

  /** Stops listening and cancels everything that is to come. */
  override async close(): Promise<void> {
    await super.close()
    await Promise.all([this.#listening?.close(), this.#pool.close()])
    this.#listening = undefined
    this.servedAt(undefined)
    this.guardControl({})
  }
}

export type EmulatorSinkOptions = OwnSinkOptions & Pick<WebhookSinkOptions, 'forwardTo'>

export const emulatorSinkOptions = new Options<EmulatorSinkOptions>('createSink', {
  ...receiversTable,
  forwardTo: webUrl,
})

/** Raised where a second sink is asked for. Code `SVTRAIN_SINK_ATTACHED`. */
export class SinkAttachedError extends Error {
  override readonly name = 'SinkAttachedError'
  readonly code = 'SVTRAIN_SINK_ATTACHED'
  constructor(url: string) {
    super(
      `Failed to create a sink: this emulator sends to one already (${url}). Use that one, or createWebhookSink() and a webhook of your own that calls it.`,
    )
  }
}

/** Raised where worlds of their own are asked for, and a folder to keep them in. Code `SVTRAIN_ISOLATED_DATA`. */
export class IsolatedDataError extends Error {
  override readonly name = 'IsolatedDataError'
  readonly code = 'SVTRAIN_ISOLATED_DATA'
  constructor() {
    super(
      'Failed to create the emulator: data keeps one world, and isolate makes one for each key. Leave out one of the two.',
    )
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

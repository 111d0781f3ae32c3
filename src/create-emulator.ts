import { controlAccess } from './adapters/control-access.js'
import { openDataFolder } from './adapters/data-folder.js'
import { poolOfConnections, type PooledSend } from './adapters/pooled-send.js'
import { openFromDisk } from './adapters/training-data-files.js'
import { listen, type Listening, type ListenOptions } from './adapters/listen.js'
import { urlsOf } from './adapters/urls.js'
import { createWebhookSink, type WebhookSink, type WebhookSinkOptions } from './create-sink.js'
import type { CoreOptions } from './core-options.js'
import { sinkOptionsFor, type OwnSinkOptions } from './emulator-sink.js'
import { InProcessEmulator, type InProcessOptions } from './in-process-emulator.js'
import { Outgoing } from './webhooks/outgoing.js'
import { sendBy } from './webhooks/send.js'

export interface EmulatorOptions extends InProcessOptions {
  /**
   * A folder in which all of it survives a restart, and a crash; made where there is none. What was
   * left there goes on, with its seed, and its scenario unless another is given.
   */
  data?: string
  /** Where relative paths of SFT data start. Default: the working directory. */
  dataRoot?: string
}

/**
 * An emulator with a world of its own: nothing is shared between two of them. Raises `ScenarioError`
 * where the scenario is unknown or cannot be used, `DataFolderError` or `SnapshotError` where what is
 * in its folder cannot.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
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

  /** Serves both hosts on real ports, free ones by default; until then on none. Raises `ListenError`. */
  async listen(options: ListenOptions = {}): Promise<Listening> {
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
   * the clock, and tells the journal. Raises `SinkAttachedError` where there is one already.
   */
  createSink(options: EmulatorSinkOptions = {}): WebhookSink {
    if (this.sink) throw new SinkAttachedError(this.sink.url)
    const sink = createWebhookSink(sinkOptionsFor(this, options))
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

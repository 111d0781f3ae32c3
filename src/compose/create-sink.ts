import { createFetch } from '../emulator/adapters/fetch.js'
import { closePort, openPort } from '../emulator/adapters/port.js'
import { portTable, type OnePort } from '../emulator/adapters/listen-options.js'
import { portOf } from '../emulator/adapters/bind.js'
import { urlOf } from '../emulator/adapters/port-url.js'
import { createHmac } from 'node:crypto'
import { JSON_BOUNDS } from '../base/text/json-text.js'
import { hmac } from '../webhooks/signature/signature.js'
import { openSinkFile, type SinkFile } from '../emulator/adapters/sink-file.js'
import { forwardTo } from '../emulator/adapters/sink-forward.js'
import { Sink } from '../webhooks/sink/sink.js'
import { sinkTable, type SinkOptions } from '../webhooks/sink/sink-options.js'
import { aFlag, nonEmptyText, Options, required, webUrl } from '../base/text/options.js'

/** The options of `createWebhookSink`. */
export interface WebhookSinkOptions extends SinkOptions {
  /** Forwards each delivery to this URL, byte for byte, and returns the answer of that URL. */
  readonly forwardTo?: string | undefined
}

export const webhookSinkOptions = new Options<WebhookSinkOptions>('createWebhookSink', {
  ...sinkTable,
  forwardTo: webUrl,
})

/** The options of `openWebhookSink`. */
export interface RecordingOptions extends WebhookSinkOptions {
  /** The path of a file. Each delivery is appended to it as a line of JSON before it is acknowledged. */
  readonly out: string
  /** Whether to wait for the disk, so that nothing is lost when the power fails. Default: false. */
  readonly fsync?: boolean | undefined
}

export const recordingOptions = new Options<RecordingOptions>('openWebhookSink', {
  ...webhookSinkOptions.table,
  out: required(nonEmptyText),
  fsync: aFlag,
})

/** The options of `sink.listen`. */
export interface SinkListenOptions extends OnePort {
  /** The port to open. Default: 0, any free port. */
  port?: number
}

export const sinkListenOptions = new Options<SinkListenOptions>('sink.listen', portTable)

/** Where a sink listens. */
export interface SinkListening {
  /** The address that it is bound to. */
  readonly host: string
  /** The port that is open. */
  readonly port: number
}

/**
 * Creates a receiver of webhooks for tests: in process, on a port (`listen`) or by MSW (`sinkHandler`).
 *
 * @throws {OptionsError} When an option can't be used.
 * @example
 * const sink = createWebhookSink({ secrets: 's3cret', strict: true })
 */
export function createWebhookSink(options: WebhookSinkOptions = {}): WebhookSink {
  webhookSinkOptions.check(options)
  return new WebhookSink(options)
}

/**
 * Creates a receiver of webhooks that appends deliveries to a file. Their ids continue those in the file.
 *
 * @returns The sink.
 * @throws {OptionsError} When an option can't be used.
 * @throws {Error} The error of the file system, when the file cannot be opened or read.
 * @example
 * const sink = await openWebhookSink({ out: 'deliveries.ndjson' })
 */
export async function openWebhookSink(options: RecordingOptions): Promise<WebhookSink> {
  recordingOptions.check(options)
  const { out, fsync } = options
  return new WebhookSink(options, await openSinkFile(out, { fsync }))
}

const IN_PROCESS_URL = 'http://sink.svtrain.test'

/** A receiver of webhooks. `createWebhookSink` and `emulator.createSink` create one. */
export class WebhookSink extends Sink {
  /** The sink as a fetch function. It receives what is sent to `url` or below. */
  readonly fetch: typeof globalThis.fetch
  readonly #file: SinkFile | undefined
  #listening: (SinkListening & { close: () => Promise<void> }) | undefined

  constructor(options: WebhookSinkOptions, file?: SinkFile) {
    super(options, {
      hmac: (body, secret) => {
        // For a long body, the other one works beside this thread.
        if (body.length > JSON_BOUNDS.characters) return hmac(body, secret)
        return createHmac('sha256', secret).update(body).digest()
      },
      save: file && ((delivery) => file.append(delivery.toLine())),
      savedCount: file?.records,
      forward: options.forwardTo === undefined ? undefined : forwardTo(options.forwardTo),
      warn: (text) => process.emitWarning(text, 'WebhookSinkWarning'),
    })
    this.#file = file
    this.fetch = createFetch(
      (_host, request) => this.receive(request),
      ({ origin }) => (origin === this.url || origin === IN_PROCESS_URL ? 'training' : undefined),
    )
  }

  /** The URL of the sink. Any path below it works as well. */
  get url(): string {
    return this.#listening ? urlOf(this.#listening) : IN_PROCESS_URL
  }

  /** How many bytes were removed from the end of the file, because they were an incomplete record. */
  get torn(): number {
    return this.#file?.torn ?? 0
  }

  /**
   * Receives on a real port, by default on a free one.
   *
   * @returns The address and port.
   * @throws {ListenError} When the port cannot be bound.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const { port } = await sink.listen()
   */
  async listen(options: SinkListenOptions = {}): Promise<SinkListening> {
    sinkListenOptions.check(options)
    await this.#stopListening()
    const { host = '127.0.0.1', port = 0 } = options
    const server = await openPort((_host, request) => this.receive(request), 'training', {
      ...options,
      host,
      port,
      background: this.background,
    })
    this.#listening = { host, port: portOf(server), close: () => closePort(server) }
    return this.#listening
  }

  /**
   * Stops listening. It finishes and records the answers under way first.
   *
   * @example
   * await sink.close()
   */
  async close(): Promise<void> {
    await this.#stopListening()
    await this.#file?.close()
  }

  /**
   * Stops listening at the end of the block, for `await using`.
   *
   * @example
   * await using sink = createWebhookSink()
   * const { port } = await sink.listen()
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #stopListening(): Promise<void> {
    const listening = this.#listening
    this.#listening = undefined
    await listening?.close()
  }
}

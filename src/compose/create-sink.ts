import { createFetch } from '../adapters/fetch.js'
import { closePort, openPort, portOf, portTable, urlOf, type OnePort } from '../adapters/listen.js'
import { createHmac } from 'node:crypto'
import { openSinkFile, type SinkFile } from '../adapters/sink-file.js'
import { forwardTo } from '../adapters/sink-forward.js'
import { SinkCore, sinkTable, type SinkOptions } from '../sink/sink.js'
import { aFlag, nonEmptyText, Options, required, webUrl } from '../text/options.js'

export interface WebhookSinkOptions extends SinkOptions {
  /** Passes each delivery on to this URL, byte for byte, and gives the answer that it gets there. */
  readonly forwardTo?: string | undefined
}

export const webhookSinkOptions = new Options<WebhookSinkOptions>('createWebhookSink', {
  ...sinkTable,
  forwardTo: webUrl,
})

export interface RecordingOptions extends WebhookSinkOptions {
  /** A file that each delivery is added to, as a line of JSON, before it is acknowledged. */
  readonly out: string
  /** Waits for the disk, too, so that a loss of power loses nothing. */
  readonly fsync?: boolean | undefined
}

export const recordingOptions = new Options<RecordingOptions>('openWebhookSink', {
  ...webhookSinkOptions.table,
  out: required(nonEmptyText),
  fsync: aFlag,
})

export type SinkListenOptions = OnePort

export const sinkListenOptions = new Options<SinkListenOptions>('sink.listen', portTable)

export interface SinkListening {
  readonly host: string
  readonly port: number
}

/**
 * Creates a receiver of webhooks for tests: in process, on a port (`listen`) or by MSW (`sinkHandler`).
 *
 * @throws OptionsError if an option is unknown or can't be used.
 * @example
 * const sink = createWebhookSink({ secrets: 's3cret', strict: true })
 */
export function createWebhookSink(options: WebhookSinkOptions = {}): WebhookSink {
  webhookSinkOptions.check(options)
  return new WebhookSink(options)
}

/**
 * The same with a file that outlives it. Rejects with what the file system says of that file, or with
 * `OptionsError`.
 */
export async function openWebhookSink(options: RecordingOptions): Promise<WebhookSink> {
  recordingOptions.check(options)
  const { out, fsync } = options
  return new WebhookSink(options, await openSinkFile(out, { fsync }))
}

const IN_PROCESS_URL = 'http://sink.svtrain.test'

export class WebhookSink extends SinkCore {
  /** The sink as a fetch function: what is sent to `url`, or below it, arrives. */
  readonly fetch: typeof globalThis.fetch
  readonly #file: SinkFile | undefined
  #listening: (SinkListening & { close: () => Promise<void> }) | undefined

  constructor(options: WebhookSinkOptions, file?: SinkFile) {
    super(options, {
      hmac: (body, secret) => createHmac('sha256', secret).update(body).digest(),
      keep: file && ((delivery) => file.append(delivery.toLine())),
      kept: file?.records,
      forward: options.forwardTo === undefined ? undefined : forwardTo(options.forwardTo),
    })
    this.#file = file
    this.fetch = createFetch(
      (_host, request) => this.receive(request),
      ({ origin }) => (origin === this.url || origin === IN_PROCESS_URL ? 'training' : undefined),
    )
  }

  /** Where it is called; any path below it will do. */
  get url(): string {
    return this.#listening ? urlOf(this.#listening) : IN_PROCESS_URL
  }

  /** The bytes at the end of its file that were no whole record, and are gone now. */
  get torn(): number {
    return this.#file?.torn ?? 0
  }

  /** Receives on a real port, a free one by default. Rejects with `ListenError` or `OptionsError`. */
  async listen(options: SinkListenOptions = {}): Promise<SinkListening> {
    sinkListenOptions.check(options)
    await this.#stopListening()
    const { host = '127.0.0.1', port = 0 } = options
    const server = await openPort((_host, request) => this.receive(request), 'training', {
      ...options,
      host,
      port,
    })
    this.#listening = { host, port: portOf(server), close: () => closePort(server) }
    return this.#listening
  }

  /** Stops listening. What is being answered is answered first, and written down. */
  async close(): Promise<void> {
    await this.#stopListening()
    await this.#file?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #stopListening(): Promise<void> {
    const listening = this.#listening
    this.#listening = undefined
    await listening?.close()
  }
}

import type { Dispatcher } from 'undici'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import { bodyDecoder, type BodyDecoder } from './decode-body.js'
import type { ResponseRecorder } from './recorder.js'

interface AnswerBodyOptions {
  readonly recorded: ResponseRecorder
  /** The Content-Encoding of the answer. */
  readonly encoding: string | undefined
  readonly background: BackgroundErrors
  /** Where the bytes come from. It waits while they cannot be decoded fast enough. */
  readonly source: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>
  /** Does work after this turn of the event loop. */
  readonly later: (work: () => void) => void
}

/** Records the body of an answer. The client comes first: Node sends at the end of a turn what was written in it. */
export class AnswerBody {
  readonly #options: AnswerBodyOptions
  readonly #decoder: BodyDecoder
  /** Bytes that arrived in this turn of the event loop. */
  #pending: Buffer[] = []
  #size = 0

  constructor(options: AnswerBodyOptions) {
    const { recorded, encoding, background, source } = options
    this.#options = options
    this.#decoder = bodyDecoder(encoding, {
      text: (text) => recorded.chunk(text),
      drained: () => source.resume(),
      background,
    })
  }

  /** How many bytes were recorded. */
  get size(): number {
    return this.#size
  }

  /** Takes bytes that the client has got. */
  take(chunk: Buffer): void {
    this.#pending.push(chunk)
    if (this.#pending.length === 1) this.#options.later(() => this.#recordPending())
  }

  /**
   * Records the rest.
   *
   * @param ended - Called at the end, with the reason if the body could not be decoded.
   */
  end(isComplete: boolean, ended: (problem?: string) => void): void {
    this.#recordPending()
    this.#decoder.end(isComplete, ended)
  }

  #recordPending(): void {
    if (this.#pending.length === 0) return
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#size += bytes.length
    if (!this.#decoder.write(bytes)) this.#options.source.pause()
  }
}

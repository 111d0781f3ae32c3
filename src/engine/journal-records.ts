import type { Headers, JobEntry, JobView, RequestEntry } from './journal-entry.js'

/** A request as it was received. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly body: Uint8Array | 'too-large'
}

type OpenedRequest = Pick<RequestEntry, 'id' | 'at' | 'host' | 'headers'>

/** The entry of a request. Headers, body and job view are private, so that printing the entry omits them. */
export class ReceivedRequest implements RequestEntry {
  readonly kind = 'request'
  readonly id: number
  readonly at: number
  readonly host: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly effects: string[] = []
  readonly #headers: Headers
  #bytes: Uint8Array | undefined
  #bodyForgotten: boolean
  #jobView: JobView | undefined

  constructor(opened: OpenedRequest, received: Received) {
    this.id = opened.id
    this.at = opened.at
    this.host = opened.host
    this.method = received.method
    this.path = received.path
    this.query = received.query
    this.#headers = opened.headers
    this.#bodyForgotten = received.body === 'too-large'
    this.#bytes = received.body === 'too-large' ? undefined : received.body
  }

  get headers(): Headers {
    return this.#headers
  }

  get body(): unknown {
    if (!this.#bytes?.length) return undefined
    const text = new TextDecoder().decode(this.#bytes)
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }

  get bodyForgotten(): boolean {
    return this.#bodyForgotten
  }

  get bodyBytes(): number {
    return this.#bytes?.length ?? 0
  }

  get jobView(): JobView | undefined {
    return this.#jobView
  }

  set jobView(view: JobView | undefined) {
    this.#jobView = view
  }

  get look(): JobView | undefined {
    return this.#jobView
  }

  forgetBody(): void {
    this.#bodyForgotten = true
    this.#bytes = undefined
  }
}

/**
 * The entry of a job event. It is a class, because V8 makes a new shape for each object literal with a getter.
 * The shape keeps everything that the getter can see in memory until the next full garbage collection.
 */
export class JobEventEntry implements JobEntry {
  readonly kind = 'job'
  readonly id: number
  readonly at: number
  readonly cause: number | undefined
  readonly jobId: string
  readonly modelName: string
  readonly event: string
  readonly #describe: () => string

  constructor(id: number, at: number, entry: JobEventFacts, describe: () => string) {
    this.id = id
    this.at = at
    this.cause = entry.cause
    this.jobId = entry.jobId
    this.modelName = entry.modelName
    this.event = entry.event
    this.#describe = describe
  }

  get text(): string {
    return this.#describe()
  }

  toJSON(): JobEntry {
    const { kind, id, at, cause, jobId, modelName, event, text } = this
    return { kind, id, at, cause, jobId, modelName, event, text }
  }
}

export type JobEventFacts = Omit<JobEntry, 'kind' | 'id' | 'at' | 'text'>

import type {
  FaultHit,
  Headers,
  JobEntry,
  JobView,
  RecordedResponse,
  RequestEntry,
} from './journal-entry.js'
import type { RecentText, RecentTexts } from '../text/recent-texts.js'

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
  readonly #bodyLength: number | undefined
  #jobView: JobView | undefined
  #response: ResponseRecord | undefined
  #faults: readonly FaultHit[] = NO_FAULTS
  #chatRule: number | undefined

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
    this.#bodyLength = this.#bytes?.length
  }

  get headers(): Headers {
    return this.#headers
  }

  get body(): unknown {
    const text = this.bodyText
    if (text === undefined) return undefined
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }

  get bodyText(): string | undefined {
    return this.#bytes?.length ? new TextDecoder().decode(this.#bytes) : undefined
  }

  get bodyLength(): number | undefined {
    return this.#bodyLength
  }

  get response(): RecordedResponse | undefined {
    return this.#response
  }

  /** Sets the response. The journal does, because it limits the memory of all bodies. */
  respond(response: ResponseRecord): void {
    this.#response = response
  }

  get faults(): readonly FaultHit[] {
    return this.#faults
  }

  set faults(faults: readonly FaultHit[]) {
    this.#faults = faults
  }

  get chatRule(): number | undefined {
    return this.#chatRule
  }

  set chatRule(rule: number | undefined) {
    this.#chatRule = rule
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

const NO_FAULTS: readonly FaultHit[] = []

/** The most characters of a response that the journal keeps. */
export const LONGEST_RESPONSE = 65_536

/** A response whose body may arrive in chunks. */
export class ResponseRecord implements RecordedResponse {
  readonly headers: Readonly<Record<string, string>>
  length = 0
  /** What arrived so far, or all of it in the memory of the journal. */
  #body: string | RecentText = ''

  constructor(headers: Readonly<Record<string, string>>) {
    this.headers = headers
  }

  get text(): string | undefined {
    return typeof this.#body === 'string' ? this.#body : this.#body.text
  }

  add(chunk: string): void {
    this.length += chunk.length
    if (typeof this.#body !== 'string' || this.#body.length >= LONGEST_RESPONSE) return
    const room = LONGEST_RESPONSE - this.#body.length
    this.#body += chunk.length <= room ? chunk : chunk.slice(0, room)
  }

  /** Moves the text to the memory of the journal, which limits all texts together. */
  end(texts: RecentTexts): void {
    if (typeof this.#body === 'string' && this.#body !== '') this.#body = texts.add(this.#body)
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

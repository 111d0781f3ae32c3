import { refuseRemoved } from '../../base/text/removed-error.js'
import { removedFromRequests } from '../../base/text/removed.js'
import type {
  FaultHit,
  Headers,
  JobEntry,
  JobView,
  RecordedResponse,
  RequestEntry,
} from './journal-entry.js'
import type { Chunk } from '../contract/exchange.js'
import type { RecentText, RecentTexts } from '../../base/text/recent-texts.js'
import { redactedHeaders } from '../../base/text/redaction/redact.js'
import type { OwnSecrets, Redaction } from './redaction.js'

/** A request as it was received. */
export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly body: Uint8Array | 'too-large'
  /** A content that is not in `body`, and not in the journal. */
  readonly content?: { readonly size: number } | undefined
}

type OpenedRequest = Pick<RequestEntry, 'id' | 'at' | 'host' | 'headers' | 'shownHeaders'>

/**
 * The entry of a request. What was sent is private, so that printing the entry omits it: it may have secrets. The
 * other fields have none.
 */
export class ReceivedRequest implements RequestEntry {
  readonly kind = 'request'
  readonly id: number
  readonly at: number
  readonly host: string
  readonly method: string
  readonly path: string
  readonly query: string
  declare detail?: string
  declare hint?: string
  /** They lose their secrets when somebody reads them: most are never read. A copy of the entry has them, too. */
  declare readonly effects: string[]
  readonly #effects: string[] = []
  #isClosed = false
  /** Removes secrets from the texts of this request and of its answer. */
  readonly #redaction: Redaction
  /** The path and the query with their secrets, if they have any. */
  readonly #sent: RequestEntry['sent'] | undefined
  readonly #headers: Headers
  readonly #shownHeaders: Readonly<Record<string, string>>
  #bytes: Uint8Array | undefined
  #bodyForgotten: boolean
  readonly #bodyLength: number | undefined
  #jobView: JobView | undefined
  #response: ResponseRecord | undefined
  #faults: readonly FaultHit[] = NO_FAULTS
  #chatRule: number | undefined

  static readonly #readEffects = {
    enumerable: true,
    get(this: ReceivedRequest): string[] {
      this.#redactEffects()
      return this.#effects
    },
  }

  /** @param redactionOf Returns what removes secrets from its texts. `bodyText` returns the beginning of its body. */
  constructor(
    opened: OpenedRequest,
    received: ReceivedCall,
    redactionOf: (bodyText: OwnSecrets['bodyText']) => Redaction,
  ) {
    Object.defineProperty(this, 'effects', ReceivedRequest.#readEffects)
    this.id = opened.id
    this.at = opened.at
    this.host = opened.host
    this.method = received.method
    const hasBody = received.body !== 'too-large' && received.body.length > 0
    const bodyText = (): string | undefined => this.#bytes && beginningOf(this.#bytes).text
    this.#redaction = redactionOf(hasBody ? bodyText : undefined)
    const { redactor } = this.#redaction
    this.path = redactor.redact(received.path)
    this.query = redactor.redactQuery(received.query)
    const { path, query } = received
    const hasSecrets = path !== this.path || query !== this.query
    this.#sent = hasSecrets ? { path, query } : undefined
    this.#headers = opened.headers
    this.#shownHeaders = opened.shownHeaders
    const { body, content } = received
    this.#bodyForgotten = body === 'too-large' || content !== undefined
    this.#bytes = this.#bodyForgotten || body === 'too-large' ? undefined : body
    this.#bodyLength = content?.size ?? this.#bytes?.length
  }

  /** Ends what the emulator says about the request. From now on, nobody may read secrets in it. */
  close(): void {
    const { detail, hint } = this
    if (detail !== undefined) this.detail = this.#redaction.redact(detail)
    if (hint !== undefined) this.hint = this.#redaction.redact(hint)
    this.#isClosed = true
  }

  #redactEffects(): void {
    if (!this.#isClosed) return
    for (const [index, effect] of this.#effects.entries()) {
      this.#effects[index] = this.#redaction.redact(effect)
    }
  }

  get sent(): RequestEntry['sent'] {
    return this.#sent ?? this
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
    return this.#bytes?.length ? decoder.decode(this.#bytes) : undefined
  }

  get shownHeaders(): Readonly<Record<string, string>> {
    return this.#shownHeaders
  }

  get shownBody(): RequestEntry['shownBody'] {
    if (!this.#bytes?.length) return undefined
    const { text, isCut } = beginningOf(this.#bytes)
    return { text: this.#redaction.redact(text, { isCut }), isCut }
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

  get redaction(): Redaction {
    return this.#redaction
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

  /** Replaces a body that was compressed. */
  replaceBody(bytes: Uint8Array): void {
    this.#bytes = bytes
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

  /** Frees the memory of the body. */
  forgetBody(): void {
    // The other texts may have its secrets.
    this.#redaction.searchBody()
    this.#bodyForgotten = true
    this.#bytes = undefined
  }

  /** What `console.log` of Node shows: the effects, and not that they are read when needed. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return Object.fromEntries(Object.entries(this))
  }
}

refuseRemoved(ReceivedRequest.prototype, removedFromRequests, 'request')

const NO_FAULTS: readonly FaultHit[] = []
const decoder = new TextDecoder()

/** The most characters of a body of a request that are shown. */
const LONGEST_SHOWN = 65_536

/** The beginning of a body as text. */
function beginningOf(bytes: Uint8Array): { text: string; isCut: boolean } {
  // No character takes more than three bytes for each of its UTF-16 units.
  const text = decoder.decode(bytes.subarray(0, 3 * LONGEST_SHOWN))
  const isCut = text.length > LONGEST_SHOWN || bytes.length > 3 * LONGEST_SHOWN
  return { text: text.slice(0, LONGEST_SHOWN), isCut }
}

/** The most characters of a response that the journal keeps. */
export const LONGEST_RESPONSE = 65_536

/** A response whose body may arrive in chunks. Secrets are removed when somebody reads it: most are never read. */
export class ResponseRecord implements RecordedResponse {
  length = 0
  readonly #headers: Readonly<Record<string, string>>
  /** What arrived so far, or all of it in the memory of the journal. */
  #body: string | RecentText = ''
  readonly #redaction: Redaction

  constructor(headers: Readonly<Record<string, string>>, redaction: Redaction) {
    this.#headers = headers
    this.#redaction = redaction
  }

  get headers(): Readonly<Record<string, string>> {
    return redactedHeaders(this.#headers, (value) => this.#redaction.redact(value))
  }

  get text(): string | undefined {
    const text = typeof this.#body === 'string' ? this.#body : this.#body.text
    if (text === undefined) return undefined
    const shown = this.#redaction.redact(text, { isCut: text.length < this.length })
    // A replacement may be longer than a short key.
    return shown.slice(0, LONGEST_RESPONSE)
  }

  /** Records a part of the body. Of bytes, only their number: a reader of the journal could make nothing of them. */
  add(chunk: Chunk): void {
    this.length += chunk.length
    if (typeof chunk !== 'string') return
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
    try {
      return this.#describe()
    } catch (error) {
      // A curve of the scenario may be a function. A trace must show what is wrong with it.
      return `${this.event.replaceAll('_', ' ')}: it cannot be described (${String(error)})`
    }
  }

  toJSON(): JobEntry {
    const { kind, id, at, cause, jobId, modelName, event, text } = this
    return { kind, id, at, cause, jobId, modelName, event, text }
  }
}

export type JobEventFacts = Omit<JobEntry, 'kind' | 'id' | 'at' | 'text'>

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
import { Redaction } from './redaction.js'

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
  #mayHaveSecrets = false
  /** Removes secrets from the texts of this request and of its answer. */
  readonly #redaction: Redaction
  /** The path and the query with their secrets, if they have any. */
  readonly #sent: RequestEntry['sent'] | undefined
  readonly #headers: Headers
  readonly #shownHeaders: Readonly<Record<string, string>>
  /** The beginning of the body without secrets. Undefined until somebody reads it, or if it has none. */
  #shownBody: string | undefined
  #isBodySettled = false
  /** Whether a response that comes loses its secrets at once: one of them may be forgotten before it is read. */
  #isSettled = false
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

  /** @param redaction Removes secrets from the texts of a call without a body. Such calls share it, which saves memory. */
  constructor(opened: OpenedRequest, received: ReceivedCall, redaction: Redaction) {
    Object.defineProperty(this, 'effects', ReceivedRequest.#readEffects)
    this.id = opened.id
    this.at = opened.at
    this.host = opened.host
    this.method = received.method
    const { redactor } = redaction
    const hasBody = received.body !== 'too-large' && received.body.length > 0
    this.#redaction = hasBody
      ? new Redaction(redactor, () => this.#bytes && beginningOf(this.#bytes).text)
      : redaction
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
    this.#redaction.pause()
    this.#mayHaveSecrets = true
    if (this.#isSettled) this.#redactEffects()
  }

  #redactEffects(): void {
    if (!this.#mayHaveSecrets) return
    this.#mayHaveSecrets = false
    for (const [index, effect] of this.#effects.entries()) {
      this.#effects[index] = this.#redaction.redact(effect)
    }
    this.#redaction.pause()
  }

  /** Removes secrets from what was sent and answered, because one of them is about to be forgotten. */
  settle(): void {
    this.#isSettled = true
    this.#settleBody()
    this.#settleTexts()
  }

  #settleTexts(): void {
    this.#redactEffects()
    this.#response?.settle()
    this.#redaction.pause()
  }

  #settleBody(): void {
    if (this.#isBodySettled || !this.#bytes?.length) return
    this.#isBodySettled = true
    const { text, isCut } = beginningOf(this.#bytes)
    const shown = this.#redaction.redact(text, { isCut })
    if (shown !== text) this.#shownBody = shown
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
    this.#settleBody()
    this.#redaction.pause()
    const { text, isCut } = beginningOf(this.#bytes)
    return { text: this.#shownBody ?? text, isCut }
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
    if (this.#isSettled) response.settle()
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

  /**
   * Frees the memory of the body.
   *
   * @param isEntryGone Whether the journal forgets the whole entry. Then nothing is searched for secrets any more.
   */
  forgetBody({ isEntryGone = false } = {}): void {
    // Its texts lose the secrets of the body now. If there are none, they can wait until somebody reads them.
    if (!isEntryGone && this.#redaction.examine()) this.#settleTexts()
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
  #headers: Readonly<Record<string, string>>
  #areHeadersSettled = false
  /** What arrived so far, or all of it in the memory of the journal. */
  #body: string | RecentText = ''
  /** The memory of the journal, once all has arrived. */
  #texts: RecentTexts | undefined
  #isSettled = false
  readonly #redaction: Redaction

  constructor(headers: Readonly<Record<string, string>>, redaction: Redaction) {
    this.#headers = headers
    this.#redaction = redaction
  }

  get headers(): Readonly<Record<string, string>> {
    this.#settleHeaders()
    return this.#headers
  }

  get text(): string | undefined {
    if (this.#texts) this.settle()
    return typeof this.#body === 'string' ? this.#redacted(this.#body) : this.#body.text
  }

  /** Removes secrets, because one of them is about to be forgotten: now, or as soon as all has arrived. */
  settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settleHeaders()
    if (!this.#texts || typeof this.#body === 'string') return
    const { text } = this.#body
    const shown = text === undefined ? text : this.#redacted(text)
    if (shown !== undefined && shown !== text) this.#body = this.#texts.add(shown)
  }

  #settleHeaders(): void {
    if (this.#areHeadersSettled) return
    this.#areHeadersSettled = true
    this.#headers = redactedHeaders(this.#headers, (value) => this.#redaction.redact(value))
    this.#redaction.pause()
  }

  #redacted(text: string): string {
    const isCut = text.length < this.length
    const shown = this.#redaction.redact(text, { isCut })
    this.#redaction.pause()
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
    if (typeof this.#body !== 'string' || this.#body === '') return
    this.#texts = texts
    this.#body = texts.add(this.#isSettled ? this.#redacted(this.#body) : this.#body)
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

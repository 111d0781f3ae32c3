import { jsonOrText } from '../../base/text/json-text.js'
import { thrownText } from '../../base/text/thrown-text.js'
import { beginningOf } from '../../base/text/shortened.js'
import { refuseRemoved } from '../../base/text/removed-error.js'
import { removedFromRequests } from '../../base/text/removed.js'
import type {
  FaultHit,
  Headers,
  JobEntry,
  JobView,
  RecordChange,
  RecordedResponse,
  RequestEntry,
  StepEntry,
} from './journal-entry.js'
import type { Api, Chunk } from '../contract/exchange.js'
import type { InputProblem } from '../contract/pydantic/problem.js'
import type { RecentText, RecentTexts } from '../../base/text/recent-texts.js'
import { secretFieldsIn } from '../../base/text/redaction/named-values.js'
import type { Redactor } from '../../base/text/redaction/redact.js'
import { hashOfText } from './lineage/running-hash.js'
import { RecordedEntry } from './shown-entry.js'

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

/**
 * The entry of a request. Headers and bodies are private, so that also a comparison of tests that fails does not print
 * them.
 */
export class ReceivedRequest extends RecordedEntry<'request'> implements RequestEntry {
  readonly host: Api
  readonly method: string
  readonly path: string
  readonly query: string
  readonly effects: string[] = []
  problems: readonly InputProblem[] = NO_PROBLEMS
  faults: readonly FaultHit[] = NO_FAULTS
  changes: readonly RecordChange[] = NO_CHANGES
  chatRule: number | undefined
  jobView: JobView | undefined
  readonly #headers: Headers
  #bytes: Uint8Array | undefined
  #bodyForgotten: boolean
  readonly #bodyLength: number | undefined
  #bodyHash: number | undefined
  #secretFields: readonly string[] | undefined
  #response: ResponseRecord | undefined

  constructor(
    redactor: Redactor,
    opened: Pick<RequestEntry, 'id' | 'at' | 'host' | 'headers'>,
    { method, path, query, body, content }: ReceivedCall,
  ) {
    super(redactor, 'request', opened)
    this.host = opened.host
    this.method = method
    this.path = path
    this.query = query
    this.#headers = opened.headers
    this.#bodyForgotten = body === 'too-large' || content !== undefined
    this.#bytes = this.#bodyForgotten || body === 'too-large' ? undefined : body
    this.#bodyLength = content?.size ?? this.#bytes?.length
  }

  get headers(): Headers {
    return this.#headers
  }

  get body(): unknown {
    const text = this.bodyText
    return text === undefined ? undefined : jsonOrText(text)
  }

  get bodyText(): string | undefined {
    return this.#bytes?.length ? decoder.decode(this.#bytes) : undefined
  }

  get bodyBeginning(): RequestEntry['bodyBeginning'] {
    return this.#bytes?.length ? shownBody(this.#bytes) : undefined
  }

  get bodyLength(): number | undefined {
    return this.#bodyLength
  }

  get bodyHash(): number | undefined {
    const beginning = this.bodyBeginning
    return beginning ? hashOfText(beginning.text) : this.#bodyHash
  }

  get bodyBytes(): number {
    return this.#bytes?.length ?? 0
  }

  get bodyForgotten(): boolean {
    return this.#bodyForgotten
  }

  get secretFields(): readonly string[] {
    this.#secretFields ??= secretFieldsIn(this.bodyBeginning?.text ?? '')
    return this.#secretFields
  }

  get response(): RecordedResponse | undefined {
    return this.#response
  }

  /** Sets the response. The journal does, because it limits the memory of all bodies. */
  respond(response: ResponseRecord): void {
    this.#response = response
  }

  /** Replaces a body that was compressed. */
  replaceBody(bytes: Uint8Array): void {
    if (this.bodyBytes === 0) return
    this.#bytes = bytes
    this.#secretFields = undefined
  }

  /** Frees the memory of the body. Other texts may have the values of its secret fields, and its hash finds its twins. */
  forgetBody(): void {
    // A slice keeps the whole text in memory; a copy does not.
    if (this.secretFields.length > 0) this.#secretFields = structuredClone(this.secretFields)
    this.#bodyHash = this.bodyHash
    this.#bodyForgotten = true
    this.#bytes = undefined
  }
}

refuseRemoved(ReceivedRequest.prototype, removedFromRequests, 'request')

const NO_PROBLEMS: readonly InputProblem[] = []
const NO_FAULTS: readonly FaultHit[] = []
const NO_CHANGES: readonly RecordChange[] = []
const decoder = new TextDecoder()

/** The most characters of a body of a request that are shown. */
export const LONGEST_SHOWN = 65_536

/** The beginning of a body as text. */
function shownBody(bytes: Uint8Array): { text: string; isCut: boolean } {
  const start = decoder.decode(bytes.subarray(0, LONGEST_SHOWN))
  const isWhole = bytes.length <= LONGEST_SHOWN
  // One unit for each byte, and none that belongs to a character that goes on.
  const isPlain = start.length === LONGEST_SHOWN && bytes[LONGEST_SHOWN - 1]! < 0x80
  if (isWhole || isPlain) return { text: start, isCut: !isWhole }
  // No character takes more than three bytes for each of its UTF-16 units.
  const text = decoder.decode(bytes.subarray(0, 3 * LONGEST_SHOWN))
  const isCut = text.length > LONGEST_SHOWN || bytes.length > 3 * LONGEST_SHOWN
  return { text: beginningOf(text, LONGEST_SHOWN), isCut }
}

/** The most characters of a response that the journal keeps. */
export const LONGEST_RESPONSE = 65_536

/** A response whose body may arrive in chunks. */
export class ResponseRecord implements RecordedResponse {
  length = 0
  readonly #headers: Readonly<Record<string, string>>
  /** What arrived so far, or all of it in the memory of the journal. */
  #body: string | RecentText = ''

  constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  get text(): string | undefined {
    return typeof this.#body === 'string' ? this.#body : this.#body.text
  }

  /** Records a part of the body. Of bytes, only their number: a reader of the journal could make nothing of them. */
  add(chunk: Chunk): void {
    const before = this.length
    this.length += chunk.length
    if (typeof chunk !== 'string' || typeof this.#body !== 'string') return
    // Nothing follows what was cut.
    if (this.#body.length < before) return
    this.#body += beginningOf(chunk, LONGEST_RESPONSE - before)
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
export class JobEventEntry extends RecordedEntry<'job'> implements JobEntry {
  readonly cause: number | undefined
  readonly jobId: string
  readonly modelName: string
  readonly event: string
  readonly #describe: () => JobEventWords

  constructor(
    redactor: Redactor,
    opened: Pick<JobEntry, 'id' | 'at'>,
    entry: JobEventFacts,
    describe: () => JobEventWords,
  ) {
    super(redactor, 'job', opened)
    this.cause = entry.cause
    this.jobId = entry.jobId
    this.modelName = entry.modelName
    this.event = entry.event
    this.#describe = describe
  }

  get text(): string {
    return this.#words.text
  }

  get step(): StepEntry | undefined {
    return this.#words.step
  }

  get #words(): JobEventWords {
    try {
      return this.#describe()
    } catch (error) {
      // A curve of the scenario may be a function. A trace must show what is wrong with it.
      const name = this.event.replaceAll('_', ' ')
      const why = thrownText(error).replaceAll(/\s+/g, ' ')
      return { text: `${name}: it cannot be described (${why})` }
    }
  }
}

/** What a job event says. It is made when somebody reads it. */
export type JobEventWords = Pick<JobEntry, 'text' | 'step'>

export type JobEventFacts = Omit<JobEntry, 'kind' | 'id' | 'at' | keyof JobEventWords>

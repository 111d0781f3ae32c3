import { printableJson } from '../../base/text/escape.js'
import { messageIn, readJson } from '../../service/contract/answer-text.js'
import type { Host } from '../../service/contract/exchange.js'
import { wallNow } from '../../base/clock/wall.js'
import { BackgroundErrors } from '../../base/text/background-errors.js'
import { toIso } from '../../base/text/iso.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { redactedQuery } from '../../base/text/redaction/credentials.js'
import type { RecordingLine, ResponseEnd } from './recording.js'
import {
  BodyRedactor,
  isEventStream,
  LARGEST_BODY,
  redactBody,
  redactHeader,
} from './redact-body.js'
import { Contents, type Redaction } from './redact-json.js'
import { tooLarge, UNREADABLE } from './replaced-text.js'
import { Secrets } from './secrets.js'

/** The options of a `Recorder`. */
export interface RecorderOptions {
  /** Receives each line, without a line end, as soon as it is known. */
  readonly write: (line: string) => void
  /** The base URL of the training API, such as `https://api.example.com/v1`. */
  readonly trainingUrl: string
  /** The base URL of the inference API. Default: that of the training API. */
  readonly inferenceUrl?: string | undefined
  /** Whether the contents of messages are recorded. Default: false. */
  readonly contents?: boolean | undefined
  /** Secrets that are hidden from the first line on. A recorder learns others from the calls. */
  readonly secrets?: Iterable<string> | undefined
  /** The clock, in milliseconds since 1970. Default: real time. */
  readonly now?: (() => number) | undefined
  /** Called with a text without secrets when a part of a call cannot be recorded. */
  readonly failed?: ((text: string) => void) | undefined
}

/** A request, as a `Recorder` takes it. */
export interface SentRequest {
  readonly host: Host
  readonly method: string
  /** The whole path, as the service gets it. */
  readonly path: string
  /** Without `?`. */
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  /** Decoded text. */
  readonly body?: string | undefined
  /** The size of a body that is too large to keep, in bytes. */
  readonly omitted?: number | undefined
  /** When it arrived, by the clock of the recorder. Default: now. */
  readonly arrived?: number
}

/** Records one response. */
export interface ResponseRecorder {
  /** The number of the request, from 1. */
  readonly id: number
  /** The path below the base URL, without secrets. */
  readonly path: string
  /** The query without secrets. */
  readonly query: string
  /** Why the service refused the request, without secrets and contents. Known at the end. */
  readonly problem: string | undefined
  /** Records the status and the headers. */
  response(status: number, headers: Readonly<Record<string, string>>): void
  /** Takes a part of the body, as decoded text. It is recorded when it is known to hold no secret. */
  chunk(text: string): void
  /** Leaves out what is not recorded yet of a body of so many bytes, because it cannot be decoded. */
  omit(bytes: number): void
  /** Records how it ended. Later calls do nothing. */
  end(how?: ResponseEnd['how'], error?: string): void
}

/**
 * Turns exchanges into the lines of a recording. Secrets, and by default the contents of messages, are replaced
 * before a line is written. It needs no port and no file. No call depends on its record: a part that cannot be
 * recorded is left out, and the recording says so.
 */
export class Recorder {
  /** Takes the errors of recording. */
  readonly background: BackgroundErrors
  readonly #write: (line: string) => void
  readonly #now: () => number
  readonly #start: number
  readonly #secrets: Secrets
  readonly #contents: boolean
  readonly #bases: Readonly<Record<Host, string>>
  #requests = 0

  /** Writes the first line. */
  constructor(options: RecorderOptions) {
    const { trainingUrl, inferenceUrl = trainingUrl, contents = false } = options
    this.#write = options.write
    this.#secrets = new Secrets(options.secrets)
    this.background = new BackgroundErrors({
      show: ({ text }) => options.failed?.(text),
      redact: (text) => this.#secrets.redact(text),
    })
    this.#now = options.now ?? wallNow
    this.#start = this.#now()
    this.#contents = contents
    this.#bases = { training: basePath(trainingUrl), inference: basePath(inferenceUrl) }
    this.#add({
      type: 'recording',
      version: 1,
      started_at: toIso(this.#start),
      training_url: this.#url(trainingUrl),
      inference_url: this.#url(inferenceUrl),
      contents: contents ? 'recorded' : 'redacted',
    })
  }

  /** The time by the clock of the recorder, in milliseconds since 1970. */
  now(): number {
    return this.#now()
  }

  /** Records a request. Call it before the request is passed on. */
  request(sent: SentRequest): ResponseRecorder {
    const { host, method, query = '', headers, arrived = this.#now() } = sent
    const id = ++this.#requests
    const redaction = {
      secrets: this.#secrets,
      contents: this.#contents ? undefined : new Contents(),
    }
    const head = this.#part(`the head of call ${id}`, () => {
      this.#secrets.addQuery(query)
      const shownHeaders = this.#headers(headers)
      const shownPath = this.#secrets.redact(belowBase(sent.path, this.#bases[host]))
      const shownQuery = redactedQuery(query, (text) => this.#secrets.redact(text))
      return { path: shownPath, query: shownQuery, headers: shownHeaders }
    })
    const { path, ...rest } = head ?? {
      path: `/${UNREADABLE}`,
      query: '',
      headers: withoutValues(headers),
    }
    // Without its credentials, nobody knows what to hide in the rest of the call.
    const shown =
      head &&
      this.#part(`the body of call ${id}`, () => ({
        body: this.#body(sent, redaction),
      }))
    const shownBody = shown ? shown.body : UNREADABLE
    this.#add({
      type: 'request',
      id,
      at: this.#since(arrived),
      host,
      method,
      path,
      ...rest,
      ...(shownBody !== undefined && { body: shownBody }),
    })
    return this.#responseRecorder({ id, path, query: rest.query }, head && redaction)
  }

  /** Makes a part of a record. Undefined if that fails, which is reported. */
  #part<T>(what: string, make: () => T): T | undefined {
    return this.background.run(`record ${what}`, make)
  }

  #body(
    { body, omitted }: Pick<SentRequest, 'body' | 'omitted'>,
    redaction: Redaction,
  ): string | undefined {
    if (omitted !== undefined) return tooLarge(omitted, 'byte')
    if (body === undefined || body === '') return undefined
    if (body.length > LARGEST_BODY) return tooLarge(body.length)
    return redactBody(body, false, redaction)
  }

  /** Without a redaction, only the moments and the status are recorded. */
  #responseRecorder(
    { id, path, query }: Pick<ResponseRecorder, 'id' | 'path' | 'query'>,
    redaction: Redaction | undefined,
  ): ResponseRecorder {
    let problem: string | undefined
    let isProblem = false
    let body: BodyRedactor | undefined
    let hasEnded = false
    const write = (text: string): void => {
      if (text !== '') this.#add({ type: 'chunk', id, at: this.#since(), text })
    }
    const what = `the response to call ${id}`
    const redacted = (work: (redactor: BodyRedactor) => string): string => {
      const redactor = body
      if (!redactor) return ''
      const text = this.#part(`the body of ${what}`, () => work(redactor))
      // Nobody can read the rest without this part.
      if (text === undefined) body = undefined
      return text ?? UNREADABLE
    }
    return {
      id,
      path,
      query,
      get problem() {
        return problem
      },
      response: (status, headers) => {
        if (hasEnded) return
        const at = this.#since()
        const shown =
          redaction && this.#part(`the headers of ${what}`, () => this.#headers(headers))
        const shownHeaders = shown ?? withoutValues(headers)
        this.#add({ type: 'response', id, at, status, headers: shownHeaders })
        if (!redaction || !shown) return write(UNREADABLE)
        isProblem = status >= 400
        body = new BodyRedactor(isEventStream(headers), { ...redaction, isProblem })
      },
      chunk: (text) => {
        if (!hasEnded) write(redacted((redactor) => redactor.add(text)))
      },
      omit: (bytes) => {
        if (!hasEnded && body) write(tooLarge(bytes, 'byte'))
        body = undefined
      },
      end: (how = 'complete', error) => {
        if (hasEnded) return
        const rest = redacted((redactor) => redactor.finish(how === 'complete'))
        if (isProblem) problem = messageIn(readJson(rest)?.value)
        write(rest)
        hasEnded = true
        const why = error === undefined ? {} : { error: this.#reason(error, what) }
        this.#add({ type: 'end', id, at: this.#since(), how, ...why })
      },
    }
  }

  #reason(error: string, what: string): string {
    return this.#part(`the end of ${what}`, () => this.#secrets.redact(error)) ?? UNREADABLE
  }

  /** Credentials of all headers are known before any header is redacted. */
  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(headers).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    )
    for (const [name, value] of entries) this.#secrets.addHeader(name, value)
    return Object.fromEntries(
      entries.map(([name, value]) => [name, redactHeader(name, value, this.#secrets)]),
    )
  }

  #url(url: string): string {
    const { origin, pathname } = new URL(url)
    return origin + pathname.replace(/\/+$/, '')
  }

  #since(moment = this.#now()): number {
    return Math.max(0, Math.round((moment - this.#start) * 1000) / 1000)
  }

  #add(line: RecordingLine): void {
    this.#write(printableJson(line))
  }
}

function withoutValues(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return Object.fromEntries(names.map((name) => [name, HIDDEN]))
}

function basePath(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '')
}

/** Returns the path below the base URL. A base URL without `/v1` has the same operations below `/v1`. */
function belowBase(path: string, base: string): string {
  const isBelow = path === base || path.startsWith(`${base}/`)
  const rest = isBelow ? path.slice(base.length) : path
  const plain = base.endsWith('/v1') && isBelow ? rest : rest.replace(/^\/v1(?=\/|$)/, '')
  return plain === '' ? '/' : plain
}

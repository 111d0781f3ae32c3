import type { Emulator, RequestEntry } from '../../../src/index.js'
import { judgeRequest } from '../../support/judge-request.js'
import type { Api } from '../../support/transports.js'

/** The longest time that it waits for an answer, in milliseconds of the emulator. */
const PATIENCE = 3_000
const MOST_ATTEMPTS = 8
const MOST_PAGES = 50

export interface Event {
  id: string
  type: string
  data: Record<string, unknown>
}

interface ListOptions {
  /** The cursor to start from. */
  after?: string | undefined
  /** Items per page. */
  limit?: number
}

interface Sent {
  host?: 'training' | 'inference'
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

// Tests know what they asked for.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

interface Answer {
  status: number
  body: Json
  /** The `Retry-After` of the answer, in milliseconds. */
  retryAfter: number | undefined
}

/** The error of a call that fails at every attempt. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp'
}

/**
 * A client that handles all faults: it repeats calls that are refused, lost, unreadable or not
 * answered, takes a new key when its key has expired, and does not trust pages. It advances the manual
 * clock of the emulator when it waits, and keeps a log.
 */
export class PerseveringClient {
  readonly log: string[] = []
  readonly #api: Api
  readonly #start: number
  readonly #seen = new Set<string>()
  readonly #passing: readonly number[]
  #keys = 1

  /** @param passing - Statuses that it takes for a passing problem, besides 429 and those from 500 on. */
  constructor(api: Api, passing: readonly number[] = []) {
    this.#api = api
    this.#passing = passing
    this.#start = api.emulator.clock.now()
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.#emulator.clock.now() - this.#start
  }

  get #emulator(): Emulator {
    return this.#api.emulator
  }

  note(text: string): void {
    this.log.push(`${`+${this.elapsed} ms`.padStart(10)}  ${text}\n`)
  }

  wait(ms: number): void {
    this.#emulator.clock.advance(ms)
  }

  /** Runs at most `most` scheduled tasks. Returns false if there was none. */
  skip(most: number): boolean {
    let skipped = 0
    while (skipped < most && this.#emulator.clock.next()) skipped++
    return skipped > 0
  }

  async createModel(name: string): Promise<string> {
    const base_model = 'example/base-8b-instruct'
    const body = { project: 'my-project', name, base_model, return_existing: true }
    return (await this.persevere({ method: 'POST', path: '/preview/models', body })).id
  }

  async createJob(kind: 'rl' | 'sft', body: object): Promise<string> {
    const path = kind === 'rl' ? '/preview/training-jobs' : '/preview/sft-training-jobs'
    return (await this.persevere({ method: 'POST', path, body })).id
  }

  /** Reads all pages of a list from a cursor on, and returns the items that are new. */
  async list(path: string, options: ListOptions = {}): Promise<{ id: string }[]> {
    const { limit = 100 } = options
    const fresh: { id: string }[] = []
    let { after } = options
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query = after === undefined ? '' : `&after=${after}`
      const page = await this.#page(`${path}?limit=${limit}${query}`)
      if (page === undefined) {
        this.note('begins again from the top')
        after = undefined
        continue
      }
      const { data, has_more } = page
      const unseen = data.filter(({ id }) => !this.#seen.has(id))
      for (const { id } of unseen) this.#seen.add(id)
      fresh.push(...unseen)
      if (unseen.length < data.length) {
        this.note(`a page of ${data.length}, ${data.length - unseen.length} of them seen before`)
      }
      if (data.length === 0 && has_more) this.note('an empty page, and yet has_more')
      if (has_more && data.length > 0) this.note(`a page of ${data.length}, and there is more`)
      if (!has_more) return fresh
      after = data.at(-1)?.id ?? after
    }
    throw new GaveUp(`no end of ${path} in ${MOST_PAGES} pages`)
  }

  /** Forgets which items it has seen. */
  forget(): void {
    this.#seen.clear()
  }

  /** Undefined if the cursor is unknown. */
  async #page(path: string): Promise<{ data: { id: string }[]; has_more: boolean } | undefined> {
    const answer = await this.#answer({ method: 'GET', path })
    if (answer.status === 404 && path.includes('after=')) {
      this.#noteRefusal(answer, '')
      return undefined
    }
    return this.#bodyOrGiveUp(answer)
  }

  /** Repeats a call until it succeeds. */
  async persevere(sent: Sent): Promise<Json> {
    return this.#bodyOrGiveUp(await this.#answer(sent))
  }

  /** Makes a call once, and notes the outcome. */
  async tryOnce(sent: Sent): Promise<number | undefined> {
    const answer = await this.#attempt(sent)
    if (typeof answer === 'string') this.note(`${this.#operation}: ${answer}`)
    else if (answer.status >= 400) this.#noteRefusal(answer, '')
    else this.note(`${this.#operation}: ${answer.status}`)
    return typeof answer === 'string' ? undefined : answer.status
  }

  /** Asks a model a question, without retries. `more` adds fields to the body. */
  chat(model: string, more: object = {}): Promise<number | undefined> {
    this.note(`asks ${model}`)
    return this.tryOnce(question(model, more))
  }

  /** Asks a model a question until it answers. Returns the first choice. */
  async answerOf(model: string, more: object = {}): Promise<Json> {
    this.note(`asks ${model}`)
    return (await this.persevere(question(model, more))).choices[0]
  }

  /** Sends a conversation once, and notes the size of the answer. Undefined if it is refused. */
  async converse(model: string, messages: readonly object[]): Promise<object | undefined> {
    const answer = await this.#attempt(chatCall({ model, messages }))
    if (typeof answer === 'string') return undefined
    this.note(`sends ${messages.length} messages`)
    if (answer.status >= 400) {
      this.#noteRefusal(answer, '')
      return undefined
    }
    const { choices, usage } = answer.body
    const [{ finish_reason, message }] = choices
    this.note(`has ${usage.completion_tokens} tokens for ${usage.prompt_tokens}, ${finish_reason}`)
    return message
  }

  /** Asks a judge for the scores of texts, and notes its answer. */
  async judge(texts: readonly string[]): Promise<void> {
    const answer = await this.#attempt(chatCall(judgeRequest(texts)))
    const { choices } = this.#bodyOrGiveUp(answer as Answer) as { choices: [{ message: Json }] }
    const { content, refusal } = choices[0].message
    this.note(`the judge says ${String(content ?? `no: ${String(refusal)}`)}`)
  }

  #bodyOrGiveUp(answer: Answer): Json {
    if (answer.status < 400) return answer.body
    this.#noteRefusal(answer, ', gives up')
    throw new GaveUp(`${answer.status} "${JSON.stringify(answer.body)}"`)
  }

  /** Repeats a call until an answer needs no further attempt. */
  async #answer(sent: Sent): Promise<Answer> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const answer = await this.#attempt(sent)
      const backOff = Math.min(4_000, 250 * 2 ** attempt)
      if (typeof answer === 'string') {
        this.note(`${this.#operation}: ${answer}, tries again in ${backOff} ms`)
        this.wait(backOff)
      } else if (answer.status === 401) {
        this.#noteRefusal(answer, ', takes a fresh key')
        this.#keys++
      } else if (this.#isPassing(answer.status)) {
        const wait = answer.retryAfter ?? backOff
        const reason = answer.retryAfter === undefined ? '' : ' as told'
        this.#noteRefusal(answer, `, tries again in ${wait} ms${reason}`)
        this.wait(wait)
      } else {
        return answer
      }
    }
    throw new GaveUp(`${MOST_ATTEMPTS} attempts`)
  }

  #isPassing(status: number): boolean {
    return status === 429 || status >= 500 || this.#passing.includes(status)
  }

  #noteRefusal({ status, body }: Answer, then: string): void {
    const said = body?.detail ?? body?.error?.message ?? JSON.stringify(body) ?? 'not JSON'
    this.note(`${this.#operation}: ${status} "${said}"${then}`)
  }

  /** The operation of the latest request. */
  get #operation(): string {
    return this.#latest()?.operation ?? 'unknown operation'
  }

  /** Makes one call. Returns its answer, or the reason that there is no readable answer. */
  async #attempt({ host = 'training', method, path, body }: Sent): Promise<Answer | string> {
    const base = host === 'training' ? this.#emulator.trainingUrl : this.#emulator.inferenceUrl
    const key = this.#keys === 1 ? this.#emulator.apiKey : `fresh-key-${this.#keys}`
    const abortion = new AbortController()
    const earlier = this.#latest()?.id ?? 0
    const sent = this.#api
      .fetch(base + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: abortion.signal,
      })
      .then(async (response) => ({ response, text: await response.text() }))
      .catch(() => 'the connection is lost')
    const received = await this.#advancingTime(sent, { earlier, abortion })
    if (abortion.signal.aborted) return `no answer in ${PATIENCE} ms`
    if (typeof received === 'string') return received
    const { response, text } = received
    const { status, headers } = response
    const read = this.#parse(text)
    if (read === undefined && status < 400) {
      return `${status} with ${text === '' ? 'nothing' : JSON.stringify(text.slice(0, 24))}`
    }
    return { status, body: read, retryAfter: retryAfterOf(headers) }
  }

  /**
   * Waits for a call. If the emulator delays the answer, the clock advances by that delay. If the delay
   * is longer than `PATIENCE`, the call is aborted. `earlier` is the id of the previous request.
   */
  async #advancingTime<T>(call: Promise<T>, { earlier, abortion }: Waiting): Promise<T> {
    const settled = call.then(() => true)
    for (let moved = false; ;) {
      if (await Promise.race([settled, nextTurn()])) return call
      const request = this.#latest()
      if (moved || !request || request.id <= earlier) continue
      const delay = delayOf(request)
      if (delay === 0) continue
      moved = true
      this.wait(Math.min(delay, PATIENCE))
      if (delay > PATIENCE) abortion.abort()
      else this.note(`${request.operation}: an answer after ${delay} ms`)
    }
  }

  #latest(): RequestEntry | undefined {
    return this.#emulator.journal.entries.findLast((entry) => entry.kind === 'request')
  }

  #parse(text: string): Json {
    try {
      return JSON.parse(text)
    } catch {
      const strict = text.replaceAll(/:(NaN|-?Infinity)\b/g, ':"$1"')
      if (strict === text) return undefined
      this.note(`${this.#operation}: NaN or Infinity, which no JSON is`)
      return JSON.parse(strict)
    }
  }
}

/** The call of a chat. */
export function chatCall(body: object): Sent {
  return { host: 'inference', method: 'POST', path: '/chat/completions', body }
}

function question(model: string, more: object): Sent {
  return chatCall({ model, messages: [{ role: 'user', content: 'Hello' }], ...more })
}

interface Waiting {
  earlier: number
  abortion: AbortController
}

function retryAfterOf(headers: Headers): number | undefined {
  const exact = headers.get('retry-after-ms')
  if (exact !== null) return Number(exact)
  const seconds = headers.get('retry-after')
  return seconds === null ? undefined : Number(seconds) * 1000
}

/** The sum of the delays that the emulator recorded, rounded up to milliseconds. */
function delayOf({ lost, effects }: RequestEntry): number {
  if (lost === 'hang') return Infinity
  const late = effects.flatMap((effect) => /: (\d+) ms late$/.exec(effect)?.[1] ?? [])
  return late.length === 0 ? 0 : late.reduce((sum, ms) => sum + Number(ms) + 1, 0)
}

function nextTurn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)))
}

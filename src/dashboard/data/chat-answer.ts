import { beginningOf, parsed } from '../parts/json-text.js'

/** One of the `n` answers. */
export interface ChatChoice {
  index: number
  content: string
  refusal: string
  toolCalls: ToolCall[]
  finishReason: string | undefined
  /** Each token with its log probability. */
  logprobs: TokenLogprob[]
}

export interface ToolCall {
  id: string
  name: string
  arguments: string
}

export interface TokenLogprob {
  token: string
  logprob: number
}

const DONE = '[DONE]'

/** Whether a message is a stream of events. */
export function isStream({ headers }: { headers: Readonly<Record<string, string>> }): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true
}

/** Reads a stream of events that is complete, or that was cut off. */
export function readStream(body: string): ChatAnswerReader {
  const reader = new ChatAnswerReader(true)
  reader.take(body)
  reader.end()
  return reader
}

/** Reads the body of an answer as it arrives: one object, or a stream of events. Each part is read once. */
export class ChatAnswerReader {
  /** The data of each event of a stream, or the one body. */
  readonly events: string[] = []
  usage: unknown
  readonly #asStream: boolean
  readonly #choices = new Map<number, ChatChoice>()
  #rest = ''
  #refusal: unknown
  #broken: string | undefined

  constructor(asStream: boolean) {
    this.#asStream = asStream
  }

  get choices(): readonly ChatChoice[] {
    return [...this.#choices.values()].sort((one, other) => one.index - other.index)
  }

  /** Why there is no answer, or only a part of one. */
  get error(): string | undefined {
    if (this.#refusal) return messageOf(this.#refusal)
    return this.#broken && `A part of the answer is not JSON: ${beginningOf(this.#broken, 200)}`
  }

  /** Whether the last event says that there are no more. */
  get done(): boolean {
    return this.events.at(-1) === DONE
  }

  take(text: string): void {
    this.#rest += text
    if (!this.#asStream) return
    const events = this.#rest.split(/\r?\n\r?\n/)
    this.#rest = events.pop()!
    for (const event of events) this.#read(dataOf(event), true)
  }

  /** Reads what is left. The last event of a stream may be cut off. */
  end(): void {
    if (this.#asStream) this.#read(dataOf(this.#rest), false)
    else this.#read(this.#rest, true)
  }

  #read(data: string, isWhole: boolean): void {
    if (data === '') return
    this.events.push(data)
    if (data === DONE) return
    const value = parsed(data)
    if (value === undefined && isWhole) this.#broken ??= data
    const { choices, usage, detail, error, message } = Object(value) as Part
    this.usage = usage ?? this.usage
    this.#refusal ??= detail ?? error ?? message
    for (const choice of objectsIn(choices)) this.#add(choice)
  }

  #add(part: WireChoice): void {
    const { message, delta, text, finish_reason: reason, logprobs } = part
    const index = placeIn(part, 0)
    const choice = this.#choices.get(index) ?? emptyChoice(index)
    const { content, refusal, tool_calls: calls } = message ?? delta ?? {}
    choice.content += content ?? text ?? ''
    choice.refusal += refusal ?? ''
    choice.finishReason = reason ?? choice.finishReason
    choice.logprobs.push(...objectsIn(logprobs?.content))
    for (const [at, call] of objectsIn(calls).entries()) {
      const { id, function: named } = call
      const known = (choice.toolCalls[placeIn(call, at)] ??= { id: '', name: '', arguments: '' })
      known.id = id ?? known.id
      known.name = named?.name ?? known.name
      known.arguments += named?.arguments ?? ''
    }
    this.#choices.set(index, choice)
  }
}

/** The data of a server-sent event. Empty for a comment. */
function dataOf(event: string): string {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
}

/** The objects in a list. A fault may send anything in its place. */
function objectsIn<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((each) => Object(each) === each) : []
}

/** Where a part belongs. A fault may send anything in place of its index. */
function placeIn({ index = null }: { index?: number | null }, usual: number): number {
  const isPlace = index !== null && Number.isInteger(index) && index >= 0 && index < MOST_PLACES
  return isPlace ? index : usual
}

/** More answers, or calls in one of them, are not told apart. */
const MOST_PLACES = 1000

interface Part {
  choices?: readonly WireChoice[] | null
  usage?: unknown
  /** The forms in which the service says what is wrong. */
  detail?: unknown
  error?: unknown
  message?: unknown
}

interface WireMessage {
  content?: string | null
  refusal?: string | null
  tool_calls?:
    | {
        index?: number | null
        id?: string
        function?: { name?: string; arguments?: string }
      }[]
    | null
}

interface WireChoice {
  index?: number | null
  message?: WireMessage
  delta?: WireMessage
  text?: string
  finish_reason?: string | null
  logprobs?: { content?: TokenLogprob[] | null } | null
}

function messageOf(said: unknown): string {
  const { message } = Object(said) as { message?: unknown }
  const text = message ?? said
  return typeof text === 'string' ? text : JSON.stringify(text)
}

function emptyChoice(index: number): ChatChoice {
  return { index, content: '', refusal: '', toolCalls: [], finishReason: undefined, logprobs: [] }
}

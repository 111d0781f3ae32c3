import { parsed } from '../parts/json-text.js'

/** What a body says that answers a chat. */
export interface ChatAnswerText {
  /** The data of each event of a stream, or the one body. */
  events: readonly string[]
  choices: readonly Choice[]
  usage: unknown
  /** Why there is no answer, or only a part of one. */
  error: string | undefined
  /** Whether the last event says that there are no more. */
  done: boolean
}

/** One of the `n` answers. */
export interface Choice {
  index: number
  content: string
  refusal: string
  toolCalls: readonly ToolCall[]
  finishReason: string | undefined
  /** Each token with its log probability. */
  logprobs: readonly TokenLogprob[]
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

/** Reads an answer that is one object, or a stream of events. Both may be cut off. */
export function readChatAnswer(body: string, asStream: boolean): ChatAnswerText {
  const events = asStream ? eventsIn(body) : [body]
  const parts = events.filter((event) => event !== DONE).map(partOf)
  const whole = asStream && !/\r?\n\r?\n$/.test(body) ? parts.slice(0, -1) : parts
  const broken = whole.find(({ text }) => text !== undefined)?.text
  const wrong = parts.map(({ detail, error, message }) => detail ?? error ?? message).find(Boolean)
  return {
    events,
    choices: joined(parts.flatMap(({ choices }) => choices ?? [])),
    usage: parts.findLast(({ usage }) => usage)?.usage,
    error:
      wrong === undefined
        ? broken && `A part of the answer is not JSON: ${broken.slice(0, 200)}`
        : messageOf(wrong),
    done: events.at(-1) === DONE,
  }
}

/** The data of server-sent events. Those without data are left out. */
function eventsIn(body: string): string[] {
  return body
    .split(/\r?\n\r?\n/)
    .map((block) => {
      const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      return lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
    })
    .filter((data) => data !== '')
}

interface Part {
  choices?: readonly WireChoice[]
  usage?: unknown
  /** The forms in which the service says what is wrong. */
  detail?: unknown
  error?: unknown
  message?: unknown
  /** Set if it is not JSON. */
  text?: string
}

interface WireMessage {
  content?: string | null
  refusal?: string | null
  tool_calls?: {
    index?: number
    id?: string
    function?: { name?: string; arguments?: string }
  }[]
}

interface WireChoice {
  index?: number
  message?: WireMessage
  delta?: WireMessage
  text?: string
  finish_reason?: string | null
  logprobs?: { content?: TokenLogprob[] | null } | null
}

function partOf(text: string): Part {
  const value = parsed(text)
  return value === undefined ? { text } : (Object(value) as Part)
}

function messageOf(said: unknown): string {
  const { message } = Object(said) as { message?: unknown }
  const text = message ?? said
  return typeof text === 'string' ? text : JSON.stringify(text)
}

/** The choices, each of all its parts. */
function joined(parts: readonly WireChoice[]): Choice[] {
  const choices = new Map<number, Choice>()
  for (const part of parts) {
    const { index = 0, message, delta, text, finish_reason: reason, logprobs } = part
    const before = choices.get(index) ?? { ...EMPTY, index }
    const { content, refusal, tool_calls: calls = [] } = message ?? delta ?? {}
    choices.set(index, {
      index,
      content: before.content + (content ?? text ?? ''),
      refusal: before.refusal + (refusal ?? ''),
      toolCalls: withCalls(before.toolCalls, calls),
      finishReason: reason ?? before.finishReason,
      logprobs: [...before.logprobs, ...(logprobs?.content ?? [])],
    })
  }
  return [...choices.values()].sort((one, other) => one.index - other.index)
}

const EMPTY: Omit<Choice, 'index'> = {
  content: '',
  refusal: '',
  toolCalls: [],
  finishReason: undefined,
  logprobs: [],
}

function withCalls(
  before: readonly ToolCall[],
  calls: NonNullable<WireMessage['tool_calls']>,
): ToolCall[] {
  const all = [...before]
  for (const [place, { index: at = place, id, function: named }] of calls.entries()) {
    const known = all[at] ?? { id: '', name: '', arguments: '' }
    all[at] = {
      id: id ?? known.id,
      name: named?.name ?? known.name,
      arguments: known.arguments + (named?.arguments ?? ''),
    }
  }
  return all
}

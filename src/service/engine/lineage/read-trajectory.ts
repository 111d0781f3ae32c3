import { isJson } from '../../../base/text/json-text.js'
import { isRecord } from '../../contract/pydantic/record.js'
import type { Trajectory } from '../../contract/trajectory.js'
import {
  Conversation,
  ConversationHash,
  hashOfIds,
  hashOfText,
  messageText,
} from './conversation-hash.js'
import { driftBetween, type TokenDrift, type TurnIds } from './drift.js'
import type { AnswerHashes, SubmittedAnswer } from './samples.js'

/** An answer of a model in a trajectory, with what the checks of training data look at. */
export interface ReadAnswer extends SubmittedAnswer {
  /** Its index in the messages of its history, or of its call in `exchanges`. */
  readonly turn: number
  readonly finishReason: string | undefined
  readonly hasLogprobs: boolean
  /** Where its prompt does not continue the turn before. Unknown without the ids of both turns. */
  readonly drift: TokenDrift | 'unknown' | undefined
}

/** A tool call or a result that does not fit its conversation. */
export interface BrokenCall {
  readonly turn: number
  readonly why: string
}

/** What a trajectory says about the chats that it is made of. */
export interface ReadTrajectory {
  readonly answers: readonly ReadAnswer[]
  /** The hash of the messages before the first answer. 0 if there is none. */
  readonly begins: number
  /** The hashes of all beginnings of its conversations, the whole ones included. */
  beginnings(): number[]
  readonly broken: readonly BrokenCall[]
}

/** Reads a trajectory: its messages and choices, its additional histories, and the chats in its exchanges. */
export function readTrajectory(trajectory: Trajectory): ReadTrajectory {
  const reader = new Reader()
  const { messages_and_choices, additional_histories = [], exchanges } = trajectory
  if (messages_and_choices) reader.readHistory(messages_and_choices)
  for (const { messages_and_choices: more } of additional_histories) reader.readHistory(more)
  const chats = exchanges?.['chat_completions']
  if (Array.isArray(chats)) reader.readExchanges(chats)
  return reader
}

class Reader implements ReadTrajectory {
  readonly answers: ReadAnswer[] = []
  readonly broken: BrokenCall[] = []
  #begins: number | undefined
  /** The hashes of the beginnings of captured chats. */
  readonly #captured: number[] = []
  readonly #histories: Conversation[] = []

  get begins(): number {
    return this.#begins ?? 0
  }

  beginnings(): number[] {
    return [...this.#histories.flatMap((history) => history.beginnings()), ...this.#captured]
  }

  /** Reads messages. The choices among them are answers of the model. */
  readHistory(items: readonly unknown[]): void {
    const history = new Conversation(items)
    this.#histories.push(history)
    const calls = new OpenCalls(this.broken)
    let before: TurnIds | undefined
    // Each submit reads all messages of its conversations. Entries would be a list for each message.
    for (let turn = 0; turn < items.length; turn++) {
      const item = items[turn]
      if (!isRecord(item)) continue
      const { message } = item
      if (!isRecord(message)) {
        calls.read(item, turn)
        continue
      }
      const tokens = tokensOf(item, item['prompt_token_ids'])
      const hashes = new HashesInHistory(history, turn)
      this.#addAnswer(item, message, { turn, tokens, before, hashes })
      calls.readAnswer(message, turn)
      before = tokens
    }
    calls.end()
  }

  /** Reads captured chats. One that continues another has its messages and its answer. */
  readExchanges(exchanges: readonly unknown[]): void {
    const ends = new Map<number, TurnIds>()
    // Each request has the messages of the one before again.
    const known = new Set<number>()
    for (const [turn, exchange] of exchanges.entries()) {
      if (!isRecord(exchange)) continue
      const { request, response } = exchange
      if (!isRecord(request) || !isRecord(response)) continue
      const { messages } = request
      const { choices, id } = response
      if (!Array.isArray(messages) || !Array.isArray(choices)) continue
      const hash = new ConversationHash()
      // Results may come in a later call, so calls without results are only looked for within one request.
      const calls = new OpenCalls(this.broken)
      let before: TurnIds | undefined
      for (const message of messages as readonly unknown[]) {
        if (!isRecord(message)) continue
        hash.addMessage(message)
        this.#captured.push(hash.value)
        calls.read(message, turn, !known.has(hash.value))
        known.add(hash.value)
        before = ends.get(hash.value) ?? before
      }
      for (const choice of choices.filter(isRecord)) {
        const { message } = choice
        if (!isRecord(message)) continue
        const through = hash.copy().add('assistant', messageText(message)).value
        const hashes = { prompt: hash.value, through }
        const tokens = tokensOf(choice, choice['prompt_token_ids'] ?? response['prompt_token_ids'])
        const completion = typeof id === 'string' ? id : undefined
        this.#addAnswer(choice, message, { turn, tokens, before, hashes, completion })
        this.#captured.push(through)
        calls.readArguments(message, turn)
        ends.set(through, tokens)
        known.add(through)
      }
    }
  }

  #addAnswer(choice: Json, message: Json, place: AnswerPlace): void {
    const { tokens, before, hashes } = place
    this.#begins ??= hashes.prompt
    const text = messageText(message)
    const { index, finish_reason } = choice
    this.answers.push({
      turn: place.turn,
      completion: place.completion,
      choice: typeof index === 'number' ? index : 0,
      hashes,
      words: hashOfText(text),
      ids: hashOfIds(tokens.answer),
      text,
      finishReason: typeof finish_reason === 'string' ? finish_reason : undefined,
      hasLogprobs: hasLogprobs(choice),
      drift: before && driftAfter(before, tokens),
    })
  }
}

type Json = Readonly<Record<string, unknown>>

/** The hashes of the answer at a place of a history. */
class HashesInHistory implements AnswerHashes {
  readonly #history: Conversation
  readonly #turn: number

  constructor(history: Conversation, turn: number) {
    this.#history = history
    this.#turn = turn
  }

  get prompt(): number {
    return this.#history.hashOf(this.#turn)
  }

  get through(): number {
    return this.#history.hashOf(this.#turn + 1)
  }
}

interface AnswerPlace {
  turn: number
  hashes: AnswerHashes
  tokens: TurnIds
  /** The turn before it. */
  before: TurnIds | undefined
  completion?: string | undefined
}

/** The ids that a client submitted. Empty if it did not. */
function tokensOf(choice: Json, prompt: unknown): TurnIds {
  return { prompt: idsIn(prompt), answer: answerIds(choice) }
}

function idsIn(value: unknown): readonly number[] {
  return Array.isArray(value) && value.every(Number.isInteger) ? (value as number[]) : []
}

const NAMED_BY_ID = /^token_id:(\d+)$/

/** The ids of the tokens of an answer, or of its log probabilities if they name tokens by their ids. */
function answerIds({ token_ids, logprobs }: Json): readonly number[] {
  const ids = idsIn(token_ids)
  if (ids.length > 0 || !isRecord(logprobs)) return ids
  const { content } = logprobs
  if (!Array.isArray(content)) return ids
  const named: number[] = []
  for (const each of content as readonly unknown[]) {
    const id = isRecord(each) ? NAMED_BY_ID.exec(String(each['token']))?.[1] : undefined
    if (id === undefined) return []
    named.push(Number(id))
  }
  return named
}

function hasLogprobs({ logprobs, compact_logprobs, art_completion_logprobs }: Json): boolean {
  if (Array.isArray(compact_logprobs) || Array.isArray(art_completion_logprobs)) return true
  if (!isRecord(logprobs)) return false
  const { content, refusal } = logprobs
  return Array.isArray(content) || Array.isArray(refusal)
}

function driftAfter(before: TurnIds, { prompt }: TurnIds): ReadAnswer['drift'] {
  const isKnown = before.prompt.length > 0 && before.answer.length > 0 && prompt.length > 0
  return isKnown ? driftBetween(before, prompt) : 'unknown'
}

/** The calls of tools of a conversation that have no result yet. */
class OpenCalls {
  readonly #broken: BrokenCall[]
  #open: Map<string, { turn: number; name: string }> | undefined
  #isResult = false

  constructor(broken: BrokenCall[]) {
    this.#broken = broken
  }

  /** Reads a message. Of one that was read before, nothing is reported again. */
  read(message: Json, turn: number, isNew = true): void {
    const { role, tool_call_id: id } = message
    if (role === 'tool') {
      this.#isResult = true
      if (typeof id === 'string' && !this.#open?.delete(id) && isNew) {
        this.#broken.push({ turn, why: `a result for the call ${id}, which nobody made` })
      }
      return
    }
    this.readAnswer(message, turn, isNew)
  }

  /** Reads a message that is not a result. */
  readAnswer(message: Json, turn: number, isNew = true): void {
    // A conversation may end with a call. It has no result, because nobody asks the model again.
    if (this.#open && isNew) this.#reportOpen()
    this.#open = undefined
    this.#isResult = false
    const calls = callsIn(message)
    if (calls.length === 0) return
    if (isNew) this.readArguments(message, turn)
    this.#open = new Map()
    for (const call of calls) {
      const name = String(Object(call['function'])['name'])
      if (typeof call['id'] === 'string') this.#open.set(call['id'], { turn, name })
    }
  }

  /** Reports arguments that are not JSON. */
  readArguments(message: Json, turn: number): void {
    for (const call of callsIn(message)) {
      const { name, arguments: args } = Object(call['function']) as Json
      if (typeof args === 'string' && !isJson(args)) {
        this.#broken.push({ turn, why: `a call of ${String(name)} whose arguments are not JSON` })
      }
    }
  }

  /** Ends a conversation. If some of its last calls have results, the others lack theirs. */
  end(): void {
    if (this.#isResult) this.#reportOpen()
  }

  #reportOpen(): void {
    for (const { turn, name } of this.#open?.values() ?? []) {
      this.#broken.push({ turn, why: `a call of ${name} without a result` })
    }
  }
}

function callsIn({ tool_calls: calls }: Json): readonly Json[] {
  return Array.isArray(calls) ? calls.filter(isRecord) : NO_CALLS
}

const NO_CALLS: readonly Json[] = []

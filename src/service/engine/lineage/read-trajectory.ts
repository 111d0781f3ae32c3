import { isRecord } from '../../contract/pydantic/record.js'
import type { Trajectory } from '../../contract/trajectory.js'
import { Conversation, ConversationHash } from './conversation-hash.js'
import { messageText } from './message-text.js'
import { hashOfIds, hashOfText } from './running-hash.js'
import { driftBetween, type TokenDrift, type TurnIds } from './drift.js'
import { OpenCalls, type BrokenCall } from './open-calls.js'
import type { FirstAnswer } from './prompts.js'
import type { AnswerHashes, SubmittedAnswer } from './samples.js'
import { NO_TOKENS, tokensOf } from './submitted-ids.js'
import { chatChoice, isScored } from '../jobs/evidence.js'
import { capturedCalls, type CapturedCall } from '../jobs/submitted-answers.js'

/** An answer of a model in a trajectory, with what the checks of training data look at. */
export interface ReadAnswer extends SubmittedAnswer {
  /** Its index in the messages of its history, or of its call in `exchanges`. */
  readonly turn: number
  readonly finishReason: string | undefined
  /** Whether it is a message without anything that a chat says about an answer. */
  readonly isPlain: boolean
  /** The messages and choices that it is in, by their place. Undefined in captured calls. */
  readonly history: number | undefined
  /** Whether it has a log probability for each token. An answer without a text has nothing to lose. */
  hasLogprobs: () => boolean
  /** Where its prompt does not continue the turn before. Unknown without the ids of both turns. */
  readonly drift: TokenDrift | 'unknown' | undefined
}

/** What a trajectory says about the chats that it is made of. */
export interface ReadTrajectory {
  readonly answers: readonly ReadAnswer[]
  /** Messages of the model in histories with choices. They are context: only choices are trained there. */
  context(): readonly ReadAnswer[]
  /** Where an answer is. Undefined if it was captured. */
  placeOf(answer: ReadAnswer | undefined): FirstAnswer | undefined
  /** The hashes of all beginnings of its conversations, the whole ones included. */
  beginnings(): number[]
  readonly broken: BrokenCall[]
}

/** Reads a trajectory: its messages and choices, its additional histories, and the chats in its exchanges. */
export function readTrajectory(trajectory: Trajectory): ReadTrajectory {
  const reader = new Reader()
  const { messages_and_choices, additional_histories = [], exchanges } = trajectory
  if (messages_and_choices) reader.readHistory(messages_and_choices)
  for (const { messages_and_choices: more } of additional_histories) reader.readHistory(more)
  if (exchanges) reader.readCaptured(capturedCalls(exchanges))
  return reader
}

class Reader implements ReadTrajectory {
  readonly answers: ReadAnswer[] = []
  readonly #context: (() => ReadAnswer)[] = []
  readonly broken: BrokenCall[] = []
  /** The hashes of the beginnings of captured chats. */
  readonly #captured: number[] = []
  readonly #histories: Conversation[] = []

  placeOf(answer: ReadAnswer | undefined): FirstAnswer | undefined {
    const conversation = answer?.history && this.#histories[answer.history - 1]
    return conversation ? { conversation, turn: answer.turn } : undefined
  }

  context(): ReadAnswer[] {
    return this.#context.map((read) => read())
  }

  beginnings(): number[] {
    return [...this.#histories.flatMap((history) => history.beginnings()), ...this.#captured]
  }

  /** Reads messages. The choices among them are answers of the model. Without choices, its messages are. */
  readHistory(items: readonly unknown[]): void {
    const history = new Conversation(items)
    const place = this.#histories.push(history)
    const calls = new OpenCalls(this.broken)
    let before: TurnIds | undefined
    const choices: ReadAnswer[] = []
    const messages: (() => ReadAnswer)[] = []
    // Each submit reads all messages of its conversations. Entries would be a list for each message.
    for (let turn = 0; turn < items.length; turn++) {
      const item = items[turn]
      if (!isRecord(item)) continue
      const { message } = item
      const hashes = new HashesInHistory(history, turn)
      if (!isRecord(message)) {
        calls.read(item, turn)
        if (item['role'] !== 'assistant') continue
        const said: AnswerPlace = {
          turn,
          tokens: NO_TOKENS,
          before: messages.at(-1) && NO_TOKENS,
          hashes,
          history: place,
          isPlain: true,
        }
        messages.push(() => answerOf(item, said))
        continue
      }
      const tokens = tokensOf(item, item['prompt_token_ids'])
      const { index, finish_reason: finishReason } = item
      const answer = answerOf(message, {
        turn,
        tokens,
        before,
        hashes,
        history: place,
        choice: typeof index === 'number' ? index : 0,
        finishReason: typeof finishReason === 'string' ? finishReason : undefined,
        isScored: () => isScored(chatChoice(item)),
      })
      choices.push(answer)
      calls.readAnswer(message, turn)
      before = tokens
    }
    calls.end()
    if (choices.length > 0) {
      this.answers.push(...choices)
      this.#context.push(...messages)
    } else this.answers.push(...messages.map((read) => read()))
  }

  /** Reads captured calls. One that continues another has its messages and its answer. */
  readCaptured(captured: readonly CapturedCall[]): void {
    const ends = new Map<number, TurnIds>()
    // By the id of the response: a call may name the one that it continues instead of its messages.
    const responses = new Map<string, ConversationHash>()
    // Each request has the messages of the one before again.
    const known = new Set<number>()
    for (const { format, index: turn, request, response } of captured) {
      const { previous_response_id: continues } = request
      const id = typeof response['id'] === 'string' ? response['id'] : undefined
      const isPart = typeof continues === 'string'
      const continued = isPart ? responses.get(continues) : undefined
      const hash = continued?.copy() ?? new ConversationHash()
      // Results may come in a later call, so calls without results are only looked for within one request.
      const calls = new OpenCalls(this.broken, { isPart })
      let before = ends.get(hash.value)
      for (const message of format.messages(request)) {
        hash.addMessage(message)
        this.#captured.push(hash.value)
        calls.read(message, turn, !known.has(hash.value))
        known.add(hash.value)
        before = ends.get(hash.value) ?? before
      }
      for (const answer of format.answers(response)) {
        const { index, finishReason, evidence, choice, prompt } = answer
        const message = answer.message()
        const after = hash.copy().add('assistant', messageText(message))
        const through = after.value
        const tokens = tokensOf(choice, prompt)
        const hashes = { prompt: hash.value, through }
        const answered = answerOf(message, {
          turn,
          tokens,
          before,
          hashes,
          completion: id,
          choice: index,
          finishReason,
          isScored: () => isScored(evidence),
        })
        this.answers.push(answered)
        this.#captured.push(through)
        calls.readArguments(message, turn)
        ends.set(through, tokens)
        known.add(through)
        if (id !== undefined) responses.set(id, after)
      }
    }
  }
}

/** An answer, as far as its message and its place tell. */
function answerOf(message: Json, place: AnswerPlace): ReadAnswer {
  const text = messageText(message)
  const { turn, tokens, before, hashes, choice = 0, isPlain = false } = place
  // Not a copy with more fields: a submit makes hundreds of answers.
  return {
    turn,
    choice,
    hashes,
    completion: place.completion,
    words: hashOfText(text),
    ids: hashOfIds(tokens.answer),
    text,
    finishReason: place.finishReason,
    isPlain,
    history: place.history,
    hasLogprobs: () => text === '' || place.isScored?.() === true,
    drift: before && driftAfter(before, tokens),
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

/** What its place tells of an answer, and what comes with its message. */
interface AnswerPlace extends Pick<ReadAnswer, 'turn' | 'hashes' | 'completion'> {
  readonly tokens: TurnIds
  /** The turn before it. */
  readonly before: TurnIds | undefined
  readonly history?: number
  readonly choice?: number
  readonly finishReason?: string | undefined
  readonly isPlain?: boolean
  /** Whether its tokens have log probabilities. Default: they have none. */
  readonly isScored?: () => boolean
}

function driftAfter(before: TurnIds, { prompt }: TurnIds): ReadAnswer['drift'] {
  const isKnown = before.prompt.length > 0 && before.answer.length > 0 && prompt.length > 0
  return isKnown ? driftBetween(before, prompt) : 'unknown'
}

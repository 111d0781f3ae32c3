import { isRecord, recordsIn } from '../../contract/pydantic/record.js'
import type { Trajectory } from '../../contract/trajectory.js'

/** What trajectories contain to train on. */
export interface Trainable {
  /** The number of tokens in answers that are trained. Estimated where no token ids, log probabilities or usage tell. */
  tokens: number
  /** The number of answers in all forms. */
  answers: number
  /** The number of answers that are trained. */
  trained: number
  /** The number of answers that a client received and submits unchanged: choices, and answers in `exchanges`. */
  choices: number
  /** The number of those answers that have a log probability for each token. */
  withLogprobs: number
  /** The number of captured HTTP calls. */
  exchanges: number
}

/**
 * Counts what the trajectories of a job contain to train on: in messages and choices, in additional histories, and
 * in captured HTTP calls of each wire format. What does not have the expected shape counts as nothing.
 * See docs/explain/contract.md#trajectories.
 */
export class TrainableCount implements Trainable {
  tokens = 0
  answers = 0
  trained = 0
  choices = 0
  withLogprobs = 0
  exchanges = 0
  readonly #needsLogprobs: boolean

  /** @param needsLogprobs - Whether an answer without log probabilities contributes nothing. */
  constructor(needsLogprobs = false) {
    this.#needsLogprobs = needsLogprobs
  }

  add({ messages_and_choices, additional_histories, exchanges }: Trajectory): void {
    if (messages_and_choices) this.#addTurns(messages_and_choices)
    for (const history of additional_histories ?? []) this.#addTurns(history.messages_and_choices)
    if (exchanges) this.#addExchanges(exchanges)
  }

  #addTurns(items: readonly unknown[]): void {
    for (const item of items) {
      if (!isRecord(item)) continue
      const { message } = item
      if (isRecord(message)) this.#addAnswer(chatChoice(item), () => messageLength(message))
      else if (item['role'] === 'assistant') this.#train(NO_EVIDENCE, () => messageLength(item))
    }
  }

  #addExchanges(exchanges: Readonly<Record<string, unknown>>): void {
    for (const { wire, response } of capturedCalls(exchanges)) {
      this.exchanges++
      this.#addResponse(wires[wire](response), usageOf(response))
    }
  }

  /** Adds the answers of one response. Its usage counts if none of its answers says how many tokens it has. */
  #addResponse(answers: readonly Answer[], usage: number | undefined): void {
    const silent = usage !== undefined && answers.every(({ evidence }) => !evidence.tokens)
    if (silent && answers.length > 0 && !this.#needsLogprobs) this.tokens += usage
    for (const { evidence, length } of answers) {
      this.#addAnswer(evidence, silent ? nothing : length)
    }
  }

  #addAnswer(evidence: Evidence, length: () => number): void {
    this.choices++
    if (isScored(evidence)) this.withLogprobs++
    this.#train(evidence, length)
  }

  #train(evidence: Evidence, length: () => number): void {
    this.answers++
    if (this.#needsLogprobs && !isScored(evidence)) return
    this.trained++
    this.tokens += evidence.tokens || tokensOf(length())
  }
}

/** A captured HTTP call of a wire format that is known. */
export interface CapturedCall {
  readonly wire: Wire
  /** Its place among the calls of its wire. */
  readonly index: number
  readonly request: Json
  readonly response: Json
}

/** Finds the captured calls in the `exchanges` of a trajectory that have a response. */
export function capturedCalls(exchanges: Readonly<Record<string, unknown>>): CapturedCall[] {
  return (Object.keys(wires) as Wire[]).flatMap((wire) => {
    const items = Object.hasOwn(exchanges, wire) ? exchanges[wire] : undefined
    if (!Array.isArray(items)) return []
    return (items as readonly unknown[]).flatMap((item, index) => {
      const { request, response } = isRecord(item) ? item : NOTHING
      if (!isRecord(response)) return []
      return { wire, index, request: isRecord(request) ? request : NOTHING, response }
    })
  })
}

/** What an answer says about its tokens. Both are 0 if it says nothing. */
export interface Evidence {
  /** The number of token ids; if there are none, the number of log probabilities. */
  tokens: number
  /** The number of log probabilities. */
  scored: number
}

const NO_EVIDENCE: Evidence = { tokens: 0, scored: 0 }

/** Whether an answer has a log probability for each of its tokens. */
export function isScored({ tokens, scored }: Evidence): boolean {
  return tokens > 0 && tokens === scored
}

/** One answer in the response of a captured HTTP call. */
interface Answer {
  evidence: Evidence
  /** Returns the number of characters. */
  length: () => number
}

/** A wire format of captured HTTP calls. */
export type Wire = 'chat_completions' | 'completions' | 'responses' | 'messages'

/** What each wire format says about the tokens of its answers. */
export const wires: Readonly<Record<Wire, (response: Json) => readonly Answer[]>> = {
  chat_completions: ({ choices }) =>
    recordsIn(choices).flatMap((choice) => {
      const { message } = choice
      if (!isRecord(message)) return []
      return { evidence: chatChoice(choice), length: () => messageLength(message) }
    }),

  completions: ({ choices }) =>
    recordsIn(choices).flatMap((choice) => {
      const { text, logprobs } = choice
      if (typeof text !== 'string') return []
      const { token_logprobs } = isRecord(logprobs) ? logprobs : NOTHING
      const scored = compactLogprobs(choice) || numbersIn(token_logprobs)
      return { evidence: evidenceOf(choice, scored), length: () => text.length }
    }),

  responses: ({ output, token_generations }) => {
    const items = recordsIn(output)
    const generations = recordsIn(token_generations).map(generation)
    if (items.length === 0 && generations.length === 0) return []
    const evidence = { tokens: 0, scored: 0 }
    for (const { tokens, scored } of generations) {
      evidence.tokens += tokens
      evidence.scored += scored
    }
    return [{ evidence, length: () => outputLength(items) }]
  },

  messages: (response) => {
    const { content, logprobs } = response
    if (!Array.isArray(content)) return []
    const scored = compactLogprobs(response) || numbersIn(logprobs)
    return [{ evidence: evidenceOf(response, scored), length: () => textLength(content) }]
  },
}

type Json = Readonly<Record<string, unknown>>
const NOTHING: Json = {}
const nothing = (): number => 0

/** What a choice of a chat says about its tokens. */
export function chatChoice(choice: Json): Evidence {
  const { logprobs } = choice
  const { content, refusal } = isRecord(logprobs) ? logprobs : NOTHING
  const scored = compactLogprobs(choice) || scoredIn(content) || scoredIn(refusal)
  return evidenceOf(choice, scored)
}

function generation(given: Json): Evidence {
  const { output_tokens } = given
  return evidenceOf(given, compactLogprobs(given) || scoredIn(output_tokens))
}

function evidenceOf({ token_ids }: Json, scored: number): Evidence {
  return { tokens: tokenIdsIn(token_ids) || scored, scored }
}

/** The newest client adds log probabilities as plain numbers, under one of two names. */
function compactLogprobs({ compact_logprobs, art_completion_logprobs }: Json): number {
  return numbersIn(compact_logprobs) || numbersIn(art_completion_logprobs)
}

/** Returns the length of a list of token ids, or 0 if it is not one. */
function tokenIdsIn(value: unknown): number {
  if (!Array.isArray(value)) return 0
  for (const id of value as readonly unknown[])
    if (!Number.isInteger(id) || (id as number) < 0) return 0
  return value.length
}

/** Returns the length of a list of finite numbers, or 0 if it is not one. */
function numbersIn(value: unknown): number {
  if (!Array.isArray(value)) return 0
  for (const each of value as readonly unknown[]) if (!Number.isFinite(each)) return 0
  return value.length
}

/** Returns the length of a list of tokens with log probabilities, or 0 if it is not one. */
function scoredIn(value: unknown): number {
  if (!Array.isArray(value)) return 0
  for (const each of value as readonly unknown[]) {
    if (!isRecord(each) || !Number.isFinite(each['logprob'])) return 0
  }
  return value.length
}

/** No answer of a real model is longer. A larger number is not a number of tokens. */
const MOST_TOKENS = 10_000_000

function usageOf({ usage }: Json): number | undefined {
  const { completion_tokens, output_tokens } = isRecord(usage) ? usage : NOTHING
  const tokens = completion_tokens ?? output_tokens
  const isCount = Number.isInteger(tokens) && (tokens as number) > 0
  return isCount && (tokens as number) <= MOST_TOKENS ? (tokens as number) : undefined
}

/** Returns the number of characters of an assistant message: its text, and the calls of tools in it. */
export function messageLength({ content, tool_calls }: Json): number {
  let length = textLength(content)
  if (Array.isArray(tool_calls))
    for (const call of recordsIn(tool_calls)) length += callLength(call)
  return length
}

function callLength({ function: called }: Json): number {
  const { name, arguments: given } = isRecord(called) ? called : NOTHING
  return textLength(name) + textLength(given)
}

/** Returns the number of characters of a text, or of a list of parts with texts. */
function textLength(content: unknown): number {
  if (typeof content === 'string') return content.length
  if (!Array.isArray(content)) return 0
  let length = 0
  for (const part of recordsIn(content))
    if (typeof part['text'] === 'string') length += part['text'].length
  return length
}

/** Returns the number of characters in the items of a response: messages and calls of functions. */
function outputLength(items: readonly Json[]): number {
  let length = 0
  for (const item of items) {
    length += textLength(item['content']) + textLength(item['name']) + textLength(item['arguments'])
  }
  return length
}

const CHARACTERS_PER_TOKEN = 4

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

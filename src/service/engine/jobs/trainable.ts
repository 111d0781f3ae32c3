import { isRecord } from '../../contract/pydantic/record.js'

/** What trajectories contain to train on. */
export interface Trainable {
  /** The number of tokens in answers of a model. Estimated where no token ids, log probabilities or usage tell. */
  tokens: number
  /** The number of answers that a client received and submits unchanged: choices, and answers in `exchanges`. */
  choices: number
  /** The number of those answers that have a log probability for each token. */
  withLogprobs: number
  /** The number of captured HTTP calls. */
  exchanges: number
}

/** The parts of a trajectory that are counted. The contract leaves most of them open, so nothing is assumed. */
interface Trajectory {
  messages_and_choices?: readonly unknown[]
  additional_histories?: readonly { messages_and_choices: readonly unknown[] }[]
  exchanges?: Readonly<Record<string, unknown>>
}

/**
 * Counts what the trajectories of a job contain to train on: in messages and choices, in additional histories, and
 * in captured HTTP calls of each wire format. What does not have the expected shape counts as nothing.
 * See docs/explain/contract.md#trajectories.
 */
export class TrainableCount implements Trainable {
  tokens = 0
  choices = 0
  withLogprobs = 0
  exchanges = 0

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
      else if (item['role'] === 'assistant') this.tokens += tokensOf(messageLength(item))
    }
  }

  #addExchanges(exchanges: Readonly<Record<string, unknown>>): void {
    for (const wire in exchanges) {
      const items = exchanges[wire]
      const read = Object.hasOwn(wires, wire) ? wires[wire as keyof typeof wires] : undefined
      if (!read || !Array.isArray(items)) continue
      for (const item of items as readonly unknown[]) {
        const response = isRecord(item) ? item['response'] : undefined
        if (!isRecord(response)) continue
        this.exchanges++
        this.#addResponse(read(response), usageOf(response))
      }
    }
  }

  /** Adds the answers of one response. Its usage counts if none of its answers says how many tokens it has. */
  #addResponse(answers: readonly Answer[], usage: number | undefined): void {
    const silent = usage !== undefined && answers.every(({ evidence }) => !evidence.tokens)
    if (silent && answers.length > 0) this.tokens += usage
    for (const { evidence, length } of answers) {
      this.#addAnswer(evidence, silent ? nothing : length)
    }
  }

  #addAnswer({ tokens, scored }: Evidence, length: () => number): void {
    this.choices++
    this.tokens += tokens || tokensOf(length())
    if (tokens > 0 && tokens === scored) this.withLogprobs++
  }
}

/** What an answer says about its tokens. Both are 0 if it says nothing. */
interface Evidence {
  /** The number of token ids; if there are none, the number of log probabilities. */
  tokens: number
  /** The number of log probabilities. */
  scored: number
}

/** One answer in the response of a captured HTTP call. */
interface Answer {
  evidence: Evidence
  /** Returns the number of characters. */
  length: () => number
}

/** How each wire format carries answers. */
const wires = {
  chat_completions: ({ choices }: Json): Answer[] =>
    recordsIn(choices).flatMap((choice) => {
      const { message } = choice
      if (!isRecord(message)) return []
      return { evidence: chatChoice(choice), length: () => messageLength(message) }
    }),

  completions: ({ choices }: Json): Answer[] =>
    recordsIn(choices).flatMap((choice) => {
      const { text, logprobs } = choice
      if (typeof text !== 'string') return []
      const { token_logprobs } = isRecord(logprobs) ? logprobs : NOTHING
      const scored = compactLogprobs(choice) || numbersIn(token_logprobs)
      return { evidence: evidenceOf(choice, scored), length: () => text.length }
    }),

  responses: ({ output, token_generations }: Json): Answer[] => {
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

  messages: (response: Json): Answer[] => {
    const { content, logprobs } = response
    if (!Array.isArray(content)) return []
    const scored = compactLogprobs(response) || numbersIn(logprobs)
    return [{ evidence: evidenceOf(response, scored), length: () => textLength(content) }]
  },
}

type Json = Readonly<Record<string, unknown>>
const NOTHING: Json = {}
const nothing = (): number => 0

function chatChoice(choice: Json): Evidence {
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

function recordsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Returns the number of characters of an assistant message: its text, and the calls of tools in it. */
function messageLength({ content, tool_calls }: Json): number {
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

import { isRecord } from '../../contract/pydantic/record.js'
import type { Trajectory } from '../../contract/trajectory.js'
import { chatChoice, isScored, NO_EVIDENCE, type Evidence } from './evidence.js'
import { capturedCalls, messageLength, type CapturedAnswer } from './submitted-answers.js'

/**
 * Counts what the trajectories of a job contain to train on: in messages and choices, in additional histories, and
 * in captured HTTP calls of each wire format. What does not have the expected shape counts as nothing.
 * See docs/explain/contract.md#trajectories.
 */
export class TrainableCount {
  /** The number of tokens in answers that are trained. Estimated where no token ids, log probabilities or usage tell. */
  tokens = 0
  /** The number of answers in all forms. */
  answers = 0
  /** The number of answers that are trained. */
  trained = 0
  /** The number of answers that a client received and submits unchanged: choices, and answers in `exchanges`. */
  choices = 0
  /** The number of those answers that have a log probability for each token. */
  withLogprobs = 0
  /** The number of captured HTTP calls. */
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
    for (const { format, response } of capturedCalls(exchanges)) {
      this.exchanges++
      this.#addResponse(format.answers(response), usageOf(response))
    }
  }

  /** Adds the answers of one response. Its usage counts if none of its answers says how many tokens it has. */
  #addResponse(answers: readonly CapturedAnswer[], usage: number | undefined): void {
    const silent = usage !== undefined && answers.every(({ evidence }) => !evidence.tokens)
    if (silent && answers.length > 0 && !this.#needsLogprobs) this.tokens += usage
    for (const { evidence, message } of answers) {
      this.#addAnswer(evidence, silent ? () => 0 : () => messageLength(message()))
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
    this.tokens += evidence.tokens || estimatedTokens(length())
  }
}

/** No answer of a real model is longer. A larger number is not a number of tokens. */
const MOST_TOKENS = 10_000_000

function usageOf({ usage }: Readonly<Record<string, unknown>>): number | undefined {
  const { completion_tokens, output_tokens } = isRecord(usage) ? usage : {}
  const tokens = completion_tokens ?? output_tokens
  const isCount = Number.isInteger(tokens) && (tokens as number) > 0
  return isCount && (tokens as number) <= MOST_TOKENS ? (tokens as number) : undefined
}

const CHARACTERS_PER_TOKEN = 4

/** Estimates the tokens of a text. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

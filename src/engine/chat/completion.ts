import type { Answer } from './answer.js'
import type { Draws } from './draws.js'
import type { Pacing } from './pacing.js'
import type { Token } from './token.js'

/** What a chat came to. */
export interface Completion {
  id: string
  /** As it was asked for. */
  model: string
  /** Seconds since the epoch. */
  created: number
  answers: readonly Drawn[]
  usage: Usage
  /** The tokens of the prompt, if they were asked for. */
  promptTokenIds: readonly number[] | undefined
  /** What log probabilities list beside the tokens of the answers. */
  alternatives: readonly Token[]
  /** Undefined where all comes at once. */
  pacing: Pacing | undefined
}

/** An answer, and what else about it is to be drawn. */
export interface Drawn {
  answer: Answer
  draws: Draws
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

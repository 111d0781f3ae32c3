import type { JudgeMistake } from '../../scenario/scenario.js'
import type { ChatCompletion } from '../../contract/chat.js'
import type { Answer } from './answer.js'
import type { Draws } from './draws.js'
import type { Pacing } from './pacing.js'
import type { Token } from './token.js'

/** The result of a chat. */
export interface Completion {
  id: string
  /** The `model` of the request. */
  model: string
  /** Seconds since the epoch. */
  created: number
  answers: readonly DrawnAnswer[]
  usage: Usage
  /** The token ids of the prompt, if the request asks for them. */
  promptTokenIds: number[] | undefined
  /** The token ids of the prompt, if those of the next turn may differ: the built-in template is stable. */
  driftingIds: readonly number[] | undefined
  /** Tokens that log probabilities list as alternatives. */
  alternatives: readonly Token[]
  /** Undefined if all tokens come at once. */
  pacing: Pacing | undefined
  /** What the journal says about the answer. */
  effect?: string
  /** The id of the base model that answered in place of an adapter. */
  answeredBy?: string
  /** Whether it is the answer of a judge. */
  isOfJudge?: true
  /** The mistake that a judge made, if no score can be read from its answer. */
  unreadable?: JudgeMistake | undefined
}

/** An answer, with the random draws that its encoding needs. */
export interface DrawnAnswer {
  answer: Answer
  draws: Draws
}

export type Usage = ChatCompletion['usage']

export function usageOf(prompt: number, completion: number): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  }
}

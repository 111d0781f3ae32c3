import type { Drift } from '../../scenario/scenario.js'
import type { BadField } from './bad-field.js'
import type { ChatParams } from './chat-params.js'
import type { Conversation } from './prompt.js'
import type { Token } from './token.js'

/** How the conversations of a base model become tokens: its encoding and its chat template. */
export interface ModelTokens {
  /** Renders the messages and tools of a request. A template may refuse them. */
  readonly prompt: (params: ChatParams, rendering: Rendering) => Prompt | BadField
  /** Counts the tokens of a whole conversation. A number above `most` only says that there are more. */
  readonly count: (conversation: Conversation, limits: { most: number; now: number }) => number
  /** The most characters of a token. */
  readonly mostCharacters: number
  /** Tokens that log probabilities list as alternatives. */
  readonly alternatives: readonly Token[]
  /** Splits a text into tokens, whatever stands before and after it. */
  readonly split: (text: string) => readonly Token[]
  /** Writes arguments of a tool call, which are JSON, as the model writes them. */
  readonly formatArguments: (json: string) => string
}

export interface Rendering {
  /** The time, in milliseconds since the epoch: some templates write the date. */
  now: number
  /** How the prompt differs from what was sampled. Undefined: as little as the template allows. */
  drift: Drift | undefined
}

/** A request as the chat template renders it. */
export interface Prompt {
  /** The number of characters. Images and other media have none. */
  readonly characters: () => number
  /** The number of tokens. A number above `most` only says that there are more. */
  readonly count: (most: number) => number
  readonly ids: () => number[]
  /** Splits an answer to the prompt into the tokens that the model samples. */
  readonly sample: (answer: AnswerTexts) => AnswerTokens
  /**
   * Whether the text of an answer that ends after these tokens splits into the same tokens. Then the prompt of the
   * next turn begins with them.
   *
   * @param before - The tokens of earlier parts of the answer.
   */
  readonly areStable: (tokens: readonly Token[], before: readonly Token[]) => boolean
}

/** The texts of an answer. */
export interface AnswerTexts {
  content?: string | undefined
  refusal?: string | undefined
  /** `arguments` is JSON, or what a scenario writes in place of it. */
  calls: readonly { name: string; arguments: string }[]
}

/** The tokens of an answer. */
export interface AnswerTokens {
  content: readonly Token[]
  refusal: readonly Token[]
  calls: readonly { head: readonly Token[]; tokens: readonly Token[]; tail: readonly Token[] }[]
  /** What a model samples after the answer. The client does not see it. */
  end: readonly Token[]
}

/** The text that tokens stand for, also where the client does not see it. */
export function sampledText(tokens: readonly Token[]): string {
  return tokens.map(({ text, whole = text }) => whole).join('')
}

/** Whether two lists of tokens have the same ids. */
export function haveSameIds(one: readonly Token[], other: readonly Token[]): boolean {
  return one.length === other.length && one.every(({ id }, index) => id === other[index]!.id)
}

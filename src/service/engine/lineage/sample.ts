import { textIn, tokensText, type Answer } from '../chat/answer.js'
import { callText } from './message-text.js'
import type { TokenDrift } from './drift.js'

/** One answer of a model to a chat, as the lineage remembers it. It does not have the messages before the answer. */
export interface Sample {
  /** The number of the sample, from 1, in the order in which samples were taken. */
  readonly number: number
  /** The id of the completion, such as `chatcmpl-…`. */
  readonly completion: string
  /** The index of the choice in the completion. */
  readonly choice: number
  /** When it was sampled, in milliseconds since the epoch, on the clock of the world. */
  readonly at: number
  /** The id of the trained model, or the id of the base model that answered. */
  readonly model: string
  /** The step of the checkpoint that answered. Null if a base model did. */
  readonly step: number | null
  /** The beginning of its text, with its tool calls: see `messageText`. */
  readonly text: string
  /** The hash of the messages before the answer. */
  readonly prompt: number
  /** The hash of those messages and the answer. */
  readonly through: number
  /** The hash of its whole text. */
  readonly words: number
  /** The hash of the ids of its tokens, those at the end included that have no text. 0 if the client did not get them. */
  readonly ids: number
  /** The number of its tokens. */
  readonly tokens: number
  readonly finishReason: string
  /** Whether the client asked for log probabilities. */
  readonly logprobs: boolean
  /** Where its prompt did not continue the turn before. */
  readonly drift?: TokenDrift | undefined
  /** Whether a fault changed the answer on its way: the client may have got another text, or no log probabilities. */
  isEdited?: true | undefined
  /** The split that it was logged with, such as `val`, if it is not that of training. */
  split?: string | undefined
  /** The id of the journal entry of the chat. Undefined if the sample was restored: the journal has no older entries. */
  readonly request: number | undefined
}

/** The longest text of a sample that is kept. Of a longer one, the beginning tells people which answer it is. */
export const LONGEST_TEXT = 2000

/** Returns the text of an answer, as `messageText` returns that of its message. */
export function answerText(answer: Answer): string {
  let text = (textIn(answer, 'content') ?? '') + (textIn(answer, 'refusal') ?? '')
  for (const part of answer.parts) {
    if (part.kind === 'tool_call') text += callText(part.name, tokensText(part.tokens))
  }
  return text
}

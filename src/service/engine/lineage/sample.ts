import { textIn, tokensText, type Answer } from '../chat/answer.js'
import { callText } from './message-text.js'
import { driftSchema } from './drift.js'
import { declared, type TypeFrom } from '../saved/declared.js'

export const sampleSchema = declared((fields) => {
  const { strictObject, literal, string, boolean, int, count, moment } = fields
  return strictObject({
    /** The id of the completion, such as `chatcmpl-…`. */
    completion: string(),
    /** The index of the choice in the completion. */
    choice: count,
    /** When it was sampled, in milliseconds since the epoch, on the clock of the world. */
    at: moment,
    /** The id of the trained model, or the id of the base model that answered. */
    model: string(),
    /** The step of the checkpoint that answered. Null if a base model did. */
    step: count.nullable(),
    /** The beginning of its text, with its tool calls: see `messageText`. */
    text: string(),
    /** The hash of the messages before the answer. */
    prompt: int(),
    /** The hash of those messages and the answer. */
    through: int(),
    /** The hash of its whole text. */
    words: int(),
    /** The hash of the ids of its tokens, those at the end included that have no text. 0 if the client did not get them. */
    ids: int(),
    /** The number of its tokens. */
    tokens: count,
    finishReason: string(),
    /** Whether the client asked for log probabilities. */
    logprobs: boolean(),
    /** Where its prompt did not continue the turn before. */
    drift: driftSchema(fields).optional(),
    /** Whether a fault changed the answer on its way: the client may have got another text, or no log probabilities. */
    isEdited: literal(true).optional(),
    /** Whether a judge gave it: training does not mean to use it. */
    isOfJudge: literal(true).optional(),
    /** The split that it was logged with, such as `val`, if it is not that of training. */
    split: string().optional(),
  })
})

export type SavedSample = TypeFrom<typeof sampleSchema>

/** One answer of a model to a chat, as the lineage remembers it. It does not have the messages before the answer. */
export interface Sample extends SavedSample {
  /** The number of the sample, from 1, in the order in which samples were taken. */
  readonly number: number
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

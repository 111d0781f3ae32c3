import { changeOfText, type AnswerChange } from './answer-change.js'
import { formatDrift } from './drift.js'
import type { ReadAnswer } from './read-trajectory.js'
import type { MatchedSample } from './samples.js'

/** A model does not give an answer of so many characters to other messages by chance. */
const LONG = 40

/** Returns what differs between an answer and its sample. Undefined if nothing does, or if a fault changed it first. */
export function changeOf(
  { sample, by }: MatchedSample,
  answer: ReadAnswer,
): AnswerChange | undefined {
  if (sample.isEdited) return undefined
  if (answer.words !== sample.words) return changeOfText(sample.text, answer.text)
  if (answer.ids !== 0 && answer.ids !== sample.ids) {
    return { why: 'it has the text that was sampled, but other token ids' }
  }
  const isSure = by === 'id' || by === 'tokens' || (by === 'text' && sample.text.length >= LONG)
  if (isSure && answer.hashes.prompt !== sample.prompt) {
    return { why: 'the messages before it are not those that it was sampled with' }
  }
  return undefined
}

/** Returns where the prompt did not continue the turn before when its answer was sampled, if the ids do not show it. */
export function driftOf(
  { sample }: MatchedSample,
  { drift }: ReadAnswer,
): AnswerChange | undefined {
  return drift === 'unknown' && sample.drift ? { why: formatDrift(sample.drift) } : undefined
}

import { formatDrift } from './drift.js'
import { shownText } from './message-text.js'
import type { ReadAnswer } from './read-trajectory.js'
import { LONGEST_TEXT } from './sample.js'
import type { MatchedSample } from './samples.js'

/** A model does not give an answer of so many characters to other messages by chance. */
const LONG = 40

/** Says what differs between an answer and its sample. Undefined if nothing does, or if a fault changed it first. */
export function changeOf({ sample, by }: MatchedSample, answer: ReadAnswer): string | undefined {
  if (sample.isEdited) return undefined
  if (answer.words !== sample.words) return formatChange(sample.text, answer.text)
  if (answer.ids !== 0 && answer.ids !== sample.ids) {
    return 'it has the text that was sampled, but other token ids'
  }
  const isSure = by === 'id' || by === 'tokens' || (by === 'text' && sample.text.length >= LONG)
  if (isSure && answer.hashes.prompt !== sample.prompt) {
    return 'the messages before it are not those that it was sampled with'
  }
  return undefined
}

/** Says where the prompt did not continue the turn before when its answer was sampled, if the ids do not show it. */
export function driftOf({ sample }: MatchedSample, { drift }: ReadAnswer): string | undefined {
  return drift === 'unknown' && sample.drift ? formatDrift(sample.drift) : undefined
}

const SHOWN = 40

/** Quotes the place where a text differs from what was sampled. */
export function formatChange(before: string, now: string): string {
  const [was, is] = [shownText(before), shownText(now)]
  let at = 0
  while (at < Math.min(was.length, is.length) && was[at] === is[at]) at++
  if (at >= LONGEST_TEXT) return OTHER_TEXT
  const start = Math.max(0, at - SHOWN / 4)
  const part = (text: string): string => {
    const end = start + SHOWN
    const cut = text.slice(start, end)
    return JSON.stringify(`${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`)
  }
  return changeBetween(part(was), part(is))
}

function changeBetween(was: string, is: string): string {
  return `${was} was sampled, and ${is} was submitted`
}

const A_QUOTE = String.raw`"(?:[^"\\]|\\.)*"`
const QUOTED = new RegExp(changeBetween(A_QUOTE, A_QUOTE), 'g')

/** Removes the answers that texts about changed answers quote, for reports without contents. */
export function withoutQuotedAnswers(text: string): string {
  return text.replaceAll(QUOTED, OTHER_TEXT)
}

const OTHER_TEXT = 'its text is not the one that was sampled'

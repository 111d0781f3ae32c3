import { beginningOf } from '../../../base/text/shortened.js'
import { declared, type TypeFrom } from '../saved/declared.js'
import { shownText } from './message-text.js'
import { LONGEST_TEXT } from './sample.js'

/** What differs between an answer and its sample. */
export const changeSchema = declared(({ string, strictObject, union }) =>
  union([
    /** The texts, around the place where they begin to differ. */
    strictObject({ was: string(), is: string() }),
    /** Words without contents. */
    strictObject({ why: string() }),
    /** The words of an older world. They may quote the answer. */
    string(),
  ]),
)

export type AnswerChange = TypeFrom<typeof changeSchema>

/** How many characters of a text are shown around the place. */
const SHOWN = 40

/**
 * Returns the place where a text differs from what was sampled.
 *
 * @param before The text of a sample: of a long one, its first {@link LONGEST_TEXT} characters.
 */
export function changeOfText(before: string, now: string): AnswerChange {
  // Compared as they are: a call that was cut is shown with a bracket that nobody sampled.
  if (before.length >= LONGEST_TEXT && now.startsWith(before)) return { why: OTHER_TEXT }
  const [was, is] = [shownText(before), shownText(now)]
  // One is a call, and the other a text that looks like it.
  if (was === is) return { why: OTHER_TEXT }
  let at = 0
  while (at < Math.min(was.length, is.length) && was[at] === is[at]) at++
  const start = Math.max(0, at - SHOWN / 4)
  return { was: partOf(was, start), is: partOf(is, start) }
}

/** The part of a text that is shown. No character that takes two units is cut in half. */
function partOf(text: string, start: number): string {
  const from = beginningOf(text, start).length
  const part = beginningOf(text.slice(from), SHOWN)
  return `${from > 0 ? '…' : ''}${part}${from + part.length < text.length ? '…' : ''}`
}

/** Says what differs. */
export function formatChange(change: AnswerChange): string {
  if (typeof change === 'string') return change
  if ('why' in change) return change.why
  return `${JSON.stringify(change.was)} was sampled, and ${JSON.stringify(change.is)} was submitted`
}

/** Returns the words about a change that are contents. Undefined if none are. */
export function quoteIn(change: AnswerChange): string | undefined {
  if (typeof change === 'object' && 'why' in change) return undefined
  return formatChange(change) || undefined
}

/** Replaces the words about a change that are contents, for reports without contents. */
export function withoutQuote(text: string, quote: string | undefined): string {
  return quote === undefined ? text : text.replaceAll(quote, OTHER_TEXT)
}

const OTHER_TEXT = 'its text is not the one that was sampled'

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

const SHOWN = 40

/** Returns the place where a text differs from what was sampled. */
export function changeOfText(before: string, now: string): AnswerChange {
  const [was, is] = [shownText(before), shownText(now)]
  let at = 0
  while (at < Math.min(was.length, is.length) && was[at] === is[at]) at++
  if (at >= LONGEST_TEXT) return { why: OTHER_TEXT }
  const start = Math.max(0, at - SHOWN / 4)
  const part = (text: string): string => {
    const end = start + SHOWN
    const cut = text.slice(start, end)
    return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`
  }
  return { was: part(was), is: part(is) }
}

/** Says what differs. */
export function formatChange(change: AnswerChange): string {
  if (typeof change === 'string') return change
  if ('why' in change) return change.why
  return `${JSON.stringify(change.was)} was sampled, and ${JSON.stringify(change.is)} was submitted`
}

/** Returns the words about a change that are contents. Undefined if none are. */
export function quoteIn(change: AnswerChange): string | undefined {
  return typeof change === 'object' && 'why' in change ? undefined : formatChange(change)
}

/** Replaces the words about a change that are contents, for reports without contents. */
export function withoutQuote(text: string, quote: string | undefined): string {
  return quote === undefined ? text : text.replaceAll(quote, OTHER_TEXT)
}

const OTHER_TEXT = 'its text is not the one that was sampled'

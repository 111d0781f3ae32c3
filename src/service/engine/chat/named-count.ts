import { contentText, type ChatMessage } from '../../scenario/chat-facts.js'
import { promptEnd } from './prompt-end.js'

const WORDS = 'two three four five six seven eight nine ten eleven twelve'.split(' ')

/** A number, and within four words a plural: `25 inputs`, `exactly four very short questions`. */
const COUNTED = new RegExp(
  String.raw`(?<![\w.,])(\d{1,2}|${WORDS.join('|')})\s+(?:(?!(?:to|or|of|in|for|per)\s)[a-z][a-z-]*\s+){0,3}[a-z][a-z-]{2,}s(?![a-z])`,
  'gi',
)
/** Words for a length. What they count is not an item of a list. */
const MEASURES =
  /\b(?:words?|characters|letters|sentences|tokens|digits|seconds|minutes|hours|days|weeks|months|years|times|turns|steps|points|percents?)$/i

/**
 * Returns how many items a prompt asks for, if it says so: `Give me four questions.` The last user message counts
 * first, then the system message. Undefined if neither names a number of two to 99.
 */
export function namedCount(messages: readonly ChatMessage[]): number | undefined {
  const question = messages.findLast(({ role }) => role === 'user')
  const system = messages.findLast(({ role }) => role === 'system' || role === 'developer')
  for (const message of [question, system]) {
    const text = message ? promptEnd(contentText(message)) : ''
    for (const [found, number = ''] of text.matchAll(COUNTED)) {
      if (MEASURES.test(found)) continue
      const count = /\d/.test(number) ? Number(number) : WORDS.indexOf(number.toLowerCase()) + 2
      if (count >= 2) return count
    }
  }
  return undefined
}

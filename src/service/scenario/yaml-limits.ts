import { Lexer } from 'yaml'
import { MOST_NESTED } from '../../base/text/writable.js'

/** Whether an error says that the stack is full. The parser also reports it as a mistake of the text. */
export function isOverflow(error: unknown): boolean {
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' && message.includes('call stack size')
}

export const TOO_DEEP = `it is nested too deeply; at most ${MOST_NESTED} lists and maps can be inside each other`

/** To read as much as this takes half a second at most. */
const MOST_TOKENS = 100_000
const MOST_CHARACTERS = 2_000_000
const TOO_LONG =
  `it is too long: what is up to here is all that a text can have, ${MOST_CHARACTERS.toLocaleString('en')} characters, ` +
  `or ${MOST_TOKENS.toLocaleString('en')} names, values and signs such as "-" and ":". ` +
  'Write repeated parts once, with an anchor and aliases, or make the scenario in TypeScript'

/** How far to the right a line may begin. One that begins with `- - -` begins after the last sign. */
const MOST_COLUMNS = 2000

/**
 * Finds where a text is too long, or nested too deeply. The parser calls itself for each level: it must not come near
 * the end of the stack, where a regular expression that is not compiled yet ends the process.
 */
export function excessOf(text: string): { offset: number; message: string } | undefined {
  if (text.length > MOST_CHARACTERS) return { offset: MOST_CHARACTERS, message: TOO_LONG }
  let [tokens, offset, column, brackets] = [0, 0, 0, 0]
  let isText = false
  let isStart = true
  for (const token of new Lexer().lex(text)) {
    if (MARKS.has(token)) {
      isText = token === SCALAR
      continue
    }
    if (token.trim() !== '' && ++tokens > MOST_TOKENS) return { offset, message: TOO_LONG }
    if (!isText && BRACKETS.has(token)) {
      brackets = Math.max(0, brackets + BRACKETS.get(token)!)
      if (brackets > MOST_NESTED) return { offset, message: TOO_DEEP }
    }
    const isSign = !isText && SIGNS.has(token)
    const isBeginning = isStart && brackets === 0 && token.trim() !== ''
    if (isBeginning && column > MOST_COLUMNS) return { offset, message: TOO_DEEP }
    isStart = token.endsWith('\n') || (isStart && (isSign || token.trim() === ''))
    column = token.endsWith('\n') ? 0 : column + token.length
    offset += token.length
    isText = false
  }
  return undefined
}

const SCALAR = '\u001F'
const BRACKETS: ReadonlyMap<string, number> = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1],
])
const SIGNS: ReadonlySet<string> = new Set(['-', '?', ':'])
/** What the lexer adds to mark scalars, and the beginning of a document. */
const MARKS: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR])

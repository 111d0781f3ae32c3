import type { ChatParams } from './chat-params.js'
import { textOf, type ChatMessage } from '../../scenario/chat-facts.js'
import { ANYTHING, END, NEW_LINE, START, type Token } from './token.js'
import type { Tokenizer } from './tokenizer.js'

const FOR_ANYTHING_ELSE = 85

/**
 * Returns the number of tokens in the messages and tools of a request. Stops at a limit: a number above `most` only
 * says that there are more, so a prompt that is far too long costs no more than one that is too long by a token.
 */
export function promptTokens(params: ChatParams, tokenizer: Tokenizer, most = Infinity): number {
  let count = 0
  for (const piece of piecesOf(params)) {
    if (typeof piece === 'string') count += tokenizer.count(piece, most - count)
    else count++
    if (count > most) break
  }
  return count
}

/** Returns the number of characters in the messages and tools of a request. Images and other media have none. */
export function promptCharacters(params: ChatParams): number {
  let count = 0
  for (const piece of piecesOf(params)) {
    if (piece === ANYTHING) continue
    count += charactersIn(typeof piece === 'string' ? piece : piece.text)
  }
  return count
}

/** Counts a pair of surrogates as one character, as the server does. Iterating over characters is 10 times slower. */
function charactersIn(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count--
  return count
}

/** Returns the ids of these tokens. */
export function promptTokenIds(params: ChatParams, tokenizer: Tokenizer): number[] {
  return [...piecesOf(params)].flatMap((piece) => {
    return typeof piece === 'string' ? tokenizer.ids(piece) : piece.id
  })
}

/** Yields a request as a chat template renders it: texts, and the tokens that the template adds. */
function* piecesOf({ messages, body }: ChatParams): Generator<string | Token> {
  const { tools } = body
  if (Array.isArray(tools) && tools.length > 0) yield JSON.stringify(tools)
  for (const message of messages) yield* piecesOfMessage(message)
  yield* [START, 'assistant', NEW_LINE]
}

function* piecesOfMessage(message: ChatMessage): Generator<string | Token> {
  const { role, content, tool_calls: calls } = message
  yield* [START, String(role), textOf(message)]
  if (Array.isArray(calls)) yield JSON.stringify(calls)
  if (Array.isArray(content)) {
    // Images and other media have the number of tokens of a small image.
    const others = content.filter((part) => (Object(part) as { type?: unknown }).type !== 'text')
    for (let left = others.length * FOR_ANYTHING_ELSE; left > 0; left--) yield ANYTHING
  }
  yield* [END, NEW_LINE]
}

import type { ChatParams } from './chat-params.js'
import { textOf, type ChatMessage } from '../../scenario/chat-facts.js'
import { ANYTHING, END, NEW_LINE, START, type Token } from './token.js'
import type { Tokenizer } from './tokenizer.js'

const FOR_ANYTHING_ELSE = 85

/** Returns the number of tokens in the messages and tools of a request. */
export function promptTokens(params: ChatParams, tokenizer: Tokenizer): number {
  return piecesOf(params).reduce((sum, piece) => {
    return sum + (typeof piece === 'string' ? tokenizer.count(piece) : 1)
  }, 0)
}

/** Returns the ids of these tokens. */
export function promptTokenIds(params: ChatParams, tokenizer: Tokenizer): number[] {
  return piecesOf(params).flatMap((piece) => {
    return typeof piece === 'string' ? tokenizer.ids(piece) : piece.id
  })
}

/** Returns a request as a chat template renders it: texts, and the tokens that the template adds. */
function piecesOf({ messages, body, prompt }: ChatParams): (string | Pick<Token, 'id'>)[] {
  if (typeof prompt === 'string') return [prompt]
  if (prompt) return prompt.map((id) => ({ id }))
  const { tools } = body
  const offered = Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : ''
  return [offered, ...messages.flatMap(piecesOfMessage), START, 'assistant', NEW_LINE]
}

function piecesOfMessage(message: ChatMessage): (string | Token)[] {
  const { role, content, tool_calls: calls } = message
  const pieces = [START, String(role), textOf(message)]
  if (Array.isArray(calls)) pieces.push(JSON.stringify(calls))
  if (Array.isArray(content)) {
    // Images and other media have the number of tokens of a small image.
    const others = content.filter((part) => (Object(part) as { type?: unknown }).type !== 'text')
    pieces.push(...others.flatMap(() => Array.from({ length: FOR_ANYTHING_ELSE }, () => ANYTHING)))
  }
  return [...pieces, END, NEW_LINE]
}

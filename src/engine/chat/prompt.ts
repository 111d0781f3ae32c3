import type { Asked } from './asked.js'
import { textOf, type ChatMessage } from './facts.js'
import type { Tokenizer } from './tokenizer.js'

/** What the chat template adds around each message, and before the answer. */
const AROUND_A_MESSAGE = 3
const BEFORE_THE_ANSWER = 3
const FOR_ANYTHING_ELSE = 85

/** How many tokens a request's messages and tools come to. */
export function promptTokens({ messages, body }: Asked, tokenizer: Tokenizer): number {
  const { tools } = body
  const offered = Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : ''
  const start = BEFORE_THE_ANSWER + tokenizer.count(offered)
  return messages.reduce((sum, message) => sum + tokensIn(message, tokenizer), start)
}

function tokensIn(message: ChatMessage, tokenizer: Tokenizer): number {
  const { role, content, tool_calls: calls } = message
  let tokens = AROUND_A_MESSAGE + tokenizer.count(String(role)) + tokenizer.count(textOf(message))
  if (Array.isArray(calls)) tokens += tokenizer.count(JSON.stringify(calls))
  if (Array.isArray(content)) {
    // Images and the like, as a small image is counted.
    const others = content.filter((part) => (Object(part) as { type?: unknown }).type !== 'text')
    tokens += others.length * FOR_ANYTHING_ELSE
  }
  return tokens
}

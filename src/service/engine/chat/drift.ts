import { parseBoundedJson } from '../../../base/text/json-text.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import type { Drift } from '../../scenario/scenario.js'
import { haveSameIds, type AnswerTokens } from './model-tokens.js'
import type { Token } from './token.js'
import { functionOf } from './tool-function.js'

/** Changes messages as a template does that forgets, or reorders, what was sampled. */
export function driftedMessages(
  messages: readonly ChatMessage[],
  drift: Drift | undefined,
): readonly ChatMessage[] {
  if (drift === 'stripsThinking') return messages.map(withoutThinking)
  return hasOtherOrder(messages, drift) ? messages.map(withOtherArguments) : messages
}

/** Returns the tools as the prompt lists them. */
export function driftedTools(
  tools: readonly unknown[],
  messages: readonly ChatMessage[],
  drift: Drift | undefined,
): readonly unknown[] {
  return hasOtherOrder(messages, drift) ? tools.map(withOtherKeys).toReversed() : tools
}

/** Every second turn has the other order, so the prompts of two turns that follow each other differ. */
function hasOtherOrder(messages: readonly ChatMessage[], drift: Drift | undefined): boolean {
  if (drift !== 'reordersTools') return false
  return messages.filter(({ role }) => role === 'assistant').length % 2 === 1
}

/** Makes the first sampled token that has two halves two tokens. The text stays the same. */
export function retokenized(
  answer: AnswerTokens,
  split: (text: string) => readonly Token[],
): AnswerTokens {
  let isDone = false
  const changed = (tokens: readonly Token[]): readonly Token[] => {
    if (isDone) return tokens
    for (const [index, token] of tokens.entries()) {
      const halves = halvesOf(token, split)
      if (!halves) continue
      isDone = true
      return [...tokens.slice(0, index), ...halves, ...tokens.slice(index + 1)]
    }
    return tokens
  }
  return {
    ...answer,
    content: changed(answer.content),
    refusal: changed(answer.refusal),
    calls: answer.calls.map((call) => ({ ...call, tokens: changed(call.tokens) })),
  }
}

/** Only plain letters: half of another character has no text. */
const LETTERS = /^\s?[A-Za-z]{2,}$/

/** Two or more tokens with the text of one. */
function halvesOf(
  token: Token,
  split: (text: string) => readonly Token[],
): readonly Token[] | undefined {
  const { text, whole } = token
  if (whole !== undefined || !LETTERS.test(text)) return undefined
  const at = text.length - 1
  const halves = [...split(text.slice(0, at)), ...split(text.slice(at))]
  const isSame = halves.map((half) => half.text).join('') === text
  return isSame && !haveSameIds(halves, [token]) ? halves : undefined
}

const THINKING = /^\s*<think>[^]*?<\/think>\s*/

function withoutThinking(message: ChatMessage): ChatMessage {
  if (message['role'] !== 'assistant') return message
  const { reasoning: _, reasoning_content: __, ...rest } = message
  const { content } = rest as { content?: unknown }
  return typeof content === 'string' ? { ...rest, content: content.replace(THINKING, '') } : rest
}

function withOtherArguments(message: ChatMessage): ChatMessage {
  const { tool_calls: calls } = message
  if (!Array.isArray(calls)) return message
  return {
    ...message,
    tool_calls: calls.map((call: unknown) => {
      const called = functionOf(call)
      const { arguments: args } = called
      const read = typeof args === 'string' ? parseBoundedJson(args) : undefined
      if (read === undefined) return call
      const others = JSON.stringify(withOtherKeys(read))
      return { ...(call as object), function: { ...called, arguments: others } }
    }),
  }
}

/** A copy in which keys have the opposite order. */
function withOtherKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOtherKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, withOtherKeys(part)] as const)
  return Object.fromEntries(entries.toReversed())
}

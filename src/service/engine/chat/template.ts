import { contentText, type ChatMessage } from '../../scenario/chat-facts.js'
import { ANYTHING, END, NEW_LINE, START, type Token } from './token.js'
import { functionOf } from './tool-function.js'

/** A part of a rendered conversation. A text is split into tokens alone, whatever stands before and after it. */
export type Piece = string | Token

/** Messages, and the tools that their request offers. */
export interface Conversation {
  readonly messages: readonly ChatMessage[]
  readonly body: { readonly tools?: unknown }
}

/** Images and other media have the number of tokens of a small image. */
const MEDIA_TOKENS = 85

/** Yields the tools and the messages of a conversation as the chat template renders them. */
export function* conversationPieces({ messages, body }: Conversation): Generator<Piece> {
  const { tools } = body
  if (Array.isArray(tools) && tools.length > 0) yield JSON.stringify(tools)
  for (const message of messages) yield* messagePieces(message)
}

/**
 * Yields a request as the chat template renders it. The template is stable: an answer in the messages has the pieces
 * that it had when it was sampled. So the tokens of a prompt begin with those of the turn before, and of its answer.
 */
export function* promptPieces(request: Conversation): Generator<Piece> {
  yield* conversationPieces(request)
  yield* openingOf('assistant')
}

/**
 * Returns what stands before and after the arguments of a tool call. The arguments stay as they are, so that an answer
 * can be read back without a change.
 */
export function callFrame(name: string): { head: string; tail: string } {
  const head = `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": `
  return { head, tail: '}\n</tool_call>' }
}

function openingOf(role: string): Piece[] {
  return [START, role, NEW_LINE]
}

function* messagePieces(message: ChatMessage): Generator<Piece> {
  const { role, content, refusal, tool_calls: calls } = message
  yield* openingOf(String(role))
  yield contentText(message)
  if (typeof refusal === 'string') yield refusal
  if (Array.isArray(calls)) for (const call of calls) yield* callPieces(call)
  if (Array.isArray(content)) {
    const media = content.filter((part) => (Object(part) as { type?: unknown }).type !== 'text')
    for (let left = media.length * MEDIA_TOKENS; left > 0; left--) yield ANYTHING
  }
  yield* [END, NEW_LINE]
}

function* callPieces(call: unknown): Generator<string> {
  const { name, arguments: args } = functionOf(call)
  if (typeof name !== 'string') {
    yield JSON.stringify(call)
    return
  }
  const { head, tail } = callFrame(name)
  yield* [head, typeof args === 'string' ? args : JSON.stringify(args ?? {}), tail]
}

import type { FinishReason } from '../../scenario/finish-reasons.js'
import type { Reply } from '../../scenario/scenario.js'
import type { ChatParams } from './chat-params.js'
import { retokenized } from './drift.js'
import type { AnswerTexts, AnswerTokens, Prompt } from './model-tokens.js'
import type { Token } from './token.js'

/** A part of an answer: a text, or a tool call. Its text is the joined texts of its tokens. */
export type Part = { kind: 'content' | 'refusal'; tokens: readonly Token[] } | ToolCallPart

/** A tool call. `tokens` are its arguments. The client does not see the text around them. */
export interface ToolCallPart {
  kind: 'tool_call'
  id: string
  name: string
  head: readonly Token[]
  tokens: readonly Token[]
  tail: readonly Token[]
}

/** One choice of a completion. */
export interface Answer {
  parts: readonly Part[]
  /** Generated tokens that the client does not see: a stop sequence, or the end token. */
  hidden: readonly Token[]
  finishReason: FinishReason
  /** The stop sequence that ended the answer. */
  stopReason: string | null
}

/** A reply with its placeholders filled in and its arguments drawn. */
export interface FilledReply {
  content?: string | undefined
  refusal?: string | undefined
  tool_calls?: readonly { name: string; arguments: string }[] | undefined
  finish_reason?: FinishReason | undefined
}

/** A reply that refuses the request. */
export type ReplyError = Extract<Reply, { error: number }>

/** Returns all generated tokens, in order. `usage`, log probabilities and token ids count them. */
export function tokensOf(answer: Answer): Token[] {
  return [...visibleTokens(answer), ...answer.hidden]
}

/** Returns the tokens of all parts. Each of them takes time. */
export function visibleTokens({ parts }: Answer): Token[] {
  const lists = parts.flatMap((part) => {
    return part.kind === 'tool_call' ? [part.head, part.tokens, part.tail] : [part.tokens]
  })
  return ([] as Token[]).concat(...lists)
}

/** Returns the text of all parts of a kind. Null if there are none. */
export function textIn({ parts }: Answer, kind: 'content' | 'refusal'): string | null {
  const found = parts.filter((part) => part.kind === kind)
  return found.length === 0 ? null : found.map(({ tokens }) => tokensText(tokens)).join('')
}

export function tokensText(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join('')
}

/** How an answer becomes tokens. */
interface Sampling {
  prompt: Prompt
  /** Splits a text into other tokens than the usual ones. Undefined if answers have the usual tokens. */
  splitOtherwise: ((text: string) => readonly Token[]) | undefined
  callId: (n: number) => string
}

/** Makes an answer of a reply, up to a stop sequence or the token limit. */
export function toAnswer(
  reply: FilledReply,
  { stop, maxTokens, toolChoice }: Pick<ChatParams, 'stop' | 'maxTokens' | 'toolChoice'>,
  { prompt, splitOtherwise, callId }: Sampling,
): Answer {
  const { content, refusal, tool_calls: calls = [] } = reply
  const usualTokens = prompt.sample({ content, refusal, calls })
  const tokens = splitOtherwise ? retokenized(usualTokens, splitOtherwise) : usualTokens
  const stopped = findStop(tokens.content.slice(0, maxTokens), stop)
  if (stopped) return stopped
  // If the request names the tool, the server says that the model stopped.
  const usual = calls.length > 0 && typeof toolChoice !== 'object' ? 'tool_calls' : 'stop'
  const finishReason = reply.finish_reason ?? usual
  const isComplete = finishReason === 'stop' || finishReason === 'tool_calls'
  const complete: Answer = {
    parts: partsOf({ content, refusal, calls }, tokens, callId),
    hidden: isComplete ? tokens.end : [],
    finishReason,
    stopReason: null,
  }
  // Tokens that are not the usual ones never continue.
  return cutAt(complete, maxTokens, splitOtherwise ? () => true : prompt.areStable)
}

function partsOf(
  { content, refusal, calls }: AnswerTexts,
  tokens: AnswerTokens,
  callId: Sampling['callId'],
): Part[] {
  const parts: Part[] = []
  if (content !== undefined) parts.push({ kind: 'content', tokens: tokens.content })
  if (refusal !== undefined) parts.push({ kind: 'refusal', tokens: tokens.refusal })
  for (const [index, { name }] of calls.entries()) {
    parts.push({ kind: 'tool_call', id: callId(index), name, ...tokens.calls[index]! })
  }
  return parts
}

/**
 * Finds the stop sequence that is complete first, and returns the answer that ends with it: nothing after it is
 * generated. Its tokens are, but the client does not see them. Of two that one token completes, it is the one that the
 * request names first.
 */
function findStop(tokens: readonly Token[], stop: readonly string[]): Answer | undefined {
  const text = tokensText(tokens)
  const found = stop
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
  let end = 0
  for (const [last, token] of tokens.entries()) {
    end += token.text.length
    const first = found.find(({ sequence, at }) => at + sequence.length <= end)
    if (first) return stoppedAt(first, tokens.slice(0, last + 1))
  }
  return undefined
}

function stoppedAt(
  { sequence, at }: { sequence: string; at: number },
  tokens: readonly Token[],
): Answer {
  const visible: Token[] = []
  const hidden: Token[] = []
  let start = 0
  for (const token of tokens) {
    if (start < at) visible.push(cutToken(token, at - start))
    else hidden.push(token)
    start += token.text.length
  }
  const parts: Part[] = [{ kind: 'content', tokens: visible }]
  return { parts, hidden, finishReason: 'stop', stopReason: sequence }
}

/** A token with a text of only that many characters. */
function cutToken(token: Token, length: number): Token {
  if (length >= token.text.length) return token
  return { whole: token.text, ...token, text: token.text.slice(0, length) }
}

/** Returns the number of all generated tokens. */
export function lengthOf({ parts, hidden }: Answer): number {
  return parts.reduce((sum, part) => sum + partLength(part), hidden.length)
}

function partLength(part: Part): number {
  const { length } = part.tokens
  return part.kind === 'tool_call' ? part.head.length + length + part.tail.length : length
}

/** Cuts an answer off after this many tokens, unless it is shorter. */
function cutAt(answer: Answer, maxTokens: number, areStable: Prompt['areStable']): Answer {
  if (lengthOf(answer) <= maxTokens) return answer
  const cut = { hidden: [], finishReason: 'length', stopReason: null } as const
  let left = maxTokens
  const parts: Part[] = []
  for (const part of answer.parts) {
    const length = partLength(part)
    if (length > left) {
      const before = visibleTokens({ ...answer, parts })
      const first = cutPart(part, left, (tokens, own) => areStable(tokens, [...before, ...own]))
      if (first) return { ...cut, parts: [...parts, first] }
      // A token that also has the beginning of the lost part is lost, too.
      const last = parts.pop()
      const ended = last && cutPart(last, Infinity, areStable)
      return { ...cut, parts: ended ? [...parts, ended] : parts }
    }
    parts.push(part)
    left -= length
  }
  return { ...cut, parts, hidden: answer.hidden.slice(0, left) }
}

/** The start of a part. Undefined if a tool call ends before its arguments: the client gets nothing of it. */
function cutPart(part: Part, most: number, areStable: Prompt['areStable']): Part | undefined {
  if (part.kind !== 'tool_call') {
    return { ...part, tokens: cutTokens(part.tokens, most, (first) => areStable(first, [])) }
  }
  const { head, tokens } = part
  if (most <= head.length) return undefined
  if (most >= partLength(part)) return part
  const left = most - head.length
  return { ...part, tokens: cutTokens(tokens, left, (first) => areStable(first, head)), tail: [] }
}

/**
 * The first tokens of a text, at most this many. Their text splits into the same tokens, so the tokens of the next
 * turn begin with them. That may take a token or two less: half of a character has no text.
 */
function cutTokens(
  tokens: readonly Token[],
  most: number,
  areStable: (first: readonly Token[]) => boolean,
): readonly Token[] {
  for (let length = Math.min(most, tokens.length); length > 0; length--) {
    const first = tokens.slice(0, length)
    if (areStable(first)) return first
  }
  return []
}

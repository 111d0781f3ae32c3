import type { Reply } from '../../scenario/scenario.js'
import type { ChatParams } from './chat-params.js'
import { END, type Token } from './token.js'

/** A part of an answer: a text, or a tool call. Its text is the joined texts of its tokens. */
export type Part =
  | { kind: 'content' | 'refusal'; tokens: readonly Token[] }
  | { kind: 'tool_call'; id: string; name: ToolName; tokens: readonly Token[] }

interface ToolName {
  text: string
  tokens: readonly Token[]
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

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

/** Returns the tokens that the client sees. Each of them takes time. */
export function visibleTokens({ parts }: Answer): Token[] {
  return parts.flatMap((part) => {
    return part.kind === 'tool_call' ? [...part.name.tokens, ...part.tokens] : [...part.tokens]
  })
}

/** Returns the text of all parts of a kind. Null if there are none. */
export function textIn({ parts }: Answer, kind: 'content' | 'refusal'): string | null {
  const found = parts.filter((part) => part.kind === kind)
  return found.length === 0 ? null : found.map(({ tokens }) => textOf(tokens)).join('')
}

export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join('')
}

interface Splitting {
  split: (text: string) => readonly Token[]
  callId: (n: number) => string
}

/** Splits a reply into tokens, up to a stop sequence or the token limit. */
export function toAnswer(
  reply: FilledReply,
  { stop, maxTokens, toolChoice }: Pick<ChatParams, 'stop' | 'maxTokens' | 'toolChoice'>,
  { split, callId }: Splitting,
): Answer {
  const parts: Part[] = []
  const { content, refusal, tool_calls: calls = [] } = reply
  let stopped: StopMatch | undefined
  if (content !== undefined) {
    const tokens = split(content)
    stopped = findStop(content, stop, tokens)
    parts.push({ kind: 'content', tokens: stopped?.visible ?? tokens })
  }
  if (refusal !== undefined) parts.push({ kind: 'refusal', tokens: split(refusal) })
  calls.forEach(({ name: text, arguments: args }, index) => {
    const name = { text, tokens: split(text) }
    parts.push({ kind: 'tool_call', id: callId(index), name, tokens: split(args) })
  })
  // If the request names the tool, the model generates only the arguments, and then stops.
  const usual = calls.length > 0 && typeof toolChoice !== 'object' ? 'tool_calls' : 'stop'
  const finishReason = reply.finish_reason ?? usual
  const isComplete = finishReason === 'stop' || finishReason === 'tool_calls'
  const complete: Answer = {
    parts,
    hidden: stopped?.hidden ?? (isComplete ? [END] : []),
    finishReason,
    stopReason: stopped?.sequence ?? null,
  }
  return cutAt(complete, maxTokens)
}

interface StopMatch {
  sequence: string
  visible: readonly Token[]
  hidden: readonly Token[]
}

/** Finds the first stop sequence. Its tokens are generated, but the client does not see them. */
function findStop(
  text: string,
  stop: readonly string[],
  tokens: readonly Token[],
): StopMatch | undefined {
  const found = stop
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at || a.sequence.length - b.sequence.length)[0]
  if (!found) return undefined
  const { sequence, at } = found
  const visible: Token[] = []
  const hidden: Token[] = []
  let start = 0
  for (const token of tokens) {
    if (start >= at + sequence.length) break
    if (start < at) visible.push({ id: token.id, text: token.text.slice(0, at - start) })
    else hidden.push(token)
    start += token.text.length
  }
  return { sequence, visible, hidden }
}

/** Returns the number of all generated tokens. */
export function lengthOf({ parts, hidden }: Answer): number {
  return parts.reduce((sum, part) => {
    return sum + part.tokens.length + (part.kind === 'tool_call' ? part.name.tokens.length : 0)
  }, hidden.length)
}

function cutAt(answer: Answer, maxTokens: number): Answer {
  if (lengthOf(answer) <= maxTokens) return answer
  let left = maxTokens
  let cut = false
  const parts: Part[] = []
  for (const part of answer.parts) {
    const before = part.kind === 'tool_call' ? part.name.tokens.length : 0
    if (left <= before) {
      cut = true
      break
    }
    const tokens = part.tokens.slice(0, left - before)
    cut ||= tokens.length < part.tokens.length
    parts.push({ ...part, tokens })
    left -= before + tokens.length
  }
  const hidden = cut ? [] : answer.hidden.slice(0, left)
  return { parts, hidden, finishReason: 'length', stopReason: null }
}

import type { Said } from '../../scenario/scenario.js'
import type { ChatParams } from './chat-params.js'
import { END, type Token } from './token.js'

/** A part of an answer: a text, or a tool call. The texts of its tokens, joined, are the whole text. */
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
  /** Generated tokens that are not shown: a stop sequence, or the end token. */
  silent: readonly Token[]
  finishReason: FinishReason
  /** The stop sequence that ended the answer. */
  stopReason: string | null
}

/** What to answer, with placeholders filled in and arguments drawn. */
export interface Spoken {
  content?: string | undefined
  refusal?: string | undefined
  tool_calls?: readonly { name: string; arguments: string }[] | undefined
  finish_reason?: FinishReason | undefined
}

export type SaidError = Extract<Said, { error: number }>

/** All generated tokens, in order: `usage`, log probabilities and token ids count them. */
export function tokensOf(answer: Answer): Token[] {
  return [...shownTokens(answer), ...answer.silent]
}

/** The tokens that the client sees. Each of them takes time. */
export function shownTokens({ parts }: Answer): Token[] {
  return parts.flatMap((part) => {
    return part.kind === 'tool_call' ? [...part.name.tokens, ...part.tokens] : [...part.tokens]
  })
}

/** The text of all parts of that kind. Null if there are none. */
export function textIn({ parts }: Answer, kind: 'content' | 'refusal'): string | null {
  const found = parts.filter((part) => part.kind === kind)
  return found.length === 0 ? null : found.map(({ tokens }) => textOf(tokens)).join('')
}

export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join('')
}

interface Speaking {
  split: (text: string) => readonly Token[]
  callId: (n: number) => string
}

/** Splits an answer into tokens, up to a stop sequence or the token limit. */
export function speak(
  spoken: Spoken,
  { stop, maxTokens, toolChoice }: Pick<ChatParams, 'stop' | 'maxTokens' | 'toolChoice'>,
  { split, callId }: Speaking,
): Answer {
  const parts: Part[] = []
  const { content, refusal, tool_calls: calls = [] } = spoken
  let stopped: Stopped | undefined
  if (content !== undefined) {
    const tokens = split(content)
    stopped = findStop(content, stop, tokens)
    parts.push({ kind: 'content', tokens: stopped?.shown ?? tokens })
  }
  if (refusal !== undefined) parts.push({ kind: 'refusal', tokens: split(refusal) })
  calls.forEach(({ name: text, arguments: given }, index) => {
    const name = { text, tokens: split(text) }
    parts.push({ kind: 'tool_call', id: callId(index), name, tokens: split(given) })
  })
  // If the request names the tool, only the arguments are generated, up to their end.
  const usual = calls.length > 0 && typeof toolChoice !== 'object' ? 'tool_calls' : 'stop'
  const finishReason = spoken.finish_reason ?? usual
  const isWhole = finishReason === 'stop' || finishReason === 'tool_calls'
  const whole: Answer = {
    parts,
    silent: stopped?.silent ?? (isWhole ? [END] : []),
    finishReason,
    stopReason: stopped?.sequence ?? null,
  }
  return maxTokens === Infinity ? whole : cutAt(whole, maxTokens)
}

interface Stopped {
  sequence: string
  shown: readonly Token[]
  silent: readonly Token[]
}

/** Finds the first stop sequence. Its tokens were generated, but are not shown. */
function findStop(
  text: string,
  stop: readonly string[],
  tokens: readonly Token[],
): Stopped | undefined {
  const found = stop
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at || a.sequence.length - b.sequence.length)[0]
  if (!found) return undefined
  const { sequence, at } = found
  const shown: Token[] = []
  const silent: Token[] = []
  let start = 0
  for (const token of tokens) {
    if (start >= at + sequence.length) break
    if (start < at) shown.push({ id: token.id, text: token.text.slice(0, at - start) })
    else silent.push(token)
    start += token.text.length
  }
  return { sequence, shown, silent }
}

function cutAt(answer: Answer, maxTokens: number): Answer {
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
  const silent = cut ? [] : answer.silent.slice(0, left)
  if (!cut && silent.length === answer.silent.length) return answer
  return { parts, silent, finishReason: 'length', stopReason: null }
}

import type { Said } from '../../scenario/scenario.js'
import type { ChatParams } from './chat-params.js'
import { END, type Token } from './token.js'

/** What was generated of one kind: a text, or a call of a tool. Texts of tokens, joined, are the text. */
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
  /** What was generated after that and is not shown: a stop sequence, or the token that ends all. */
  silent: readonly Token[]
  finishReason: FinishReason
  /** The stop sequence that ended it. */
  stopReason: string | null
}

/** What is said, all placeholders filled in and all arguments drawn. */
export interface Spoken {
  content?: string | undefined
  refusal?: string | undefined
  tool_calls?: readonly { name: string; arguments: string }[] | undefined
  finish_reason?: FinishReason | undefined
}

export type SaidError = Extract<Said, { error: number }>

/** All tokens that were generated, in their order: the ones of `usage`, log probabilities and ids. */
export function tokensOf(answer: Answer): Token[] {
  return [...shownTokens(answer), ...answer.silent]
}

/** The tokens that show: each of them takes its time. */
export function shownTokens({ parts }: Answer): Token[] {
  return parts.flatMap((part) => {
    return part.kind === 'tool_call' ? [...part.name.tokens, ...part.tokens] : [...part.tokens]
  })
}

/** The text of all parts of that kind; null where there is none. */
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

/** Cuts what is said into tokens, up to where a stop sequence or the limit ends it. */
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
  // Of a tool that the request names, only the arguments are generated, up to their end.
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

/** The stop sequence that comes first. Its tokens were generated, but do not show. */
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

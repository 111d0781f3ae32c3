import type { Said } from '../scenario.js'

/** What was generated of one kind: a text, or a call of a tool. Tokens, joined, are the text. */
export type Part =
  | { kind: 'content' | 'refusal'; tokens: readonly string[] }
  | { kind: 'tool_call'; id: string; name: ToolName; tokens: readonly string[] }

interface ToolName {
  text: string
  tokens: readonly string[]
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** One choice of a completion. */
export interface Answer {
  parts: readonly Part[]
  finishReason: FinishReason
}

/** What is said, all placeholders filled in and all arguments drawn. */
export interface Spoken {
  content?: string | undefined
  refusal?: string | undefined
  tool_calls?: readonly { name: string; arguments: string }[] | undefined
  finish_reason?: FinishReason | undefined
}

export type SaidError = Extract<Said, { error: number }>

interface Limits {
  stop: readonly string[]
  maxTokens: number
}

/** All tokens of an answer, in the order in which they were generated. */
export function tokensOf({ parts }: Answer): string[] {
  return parts.flatMap((part) => {
    return part.kind === 'tool_call' ? [...part.name.tokens, ...part.tokens] : [...part.tokens]
  })
}

/** The text of all parts of that kind; null where there is none. */
export function textIn({ parts }: Answer, kind: 'content' | 'refusal'): string | null {
  const found = parts.filter((part) => part.kind === kind)
  return found.length === 0 ? null : found.map(({ tokens }) => tokens.join('')).join('')
}

/** Cuts what is said into tokens, up to where a stop sequence or the limit ends it. */
export function speak(
  spoken: Spoken,
  { stop, maxTokens }: Limits,
  { split, callId }: { split: (text: string) => readonly string[]; callId: (n: number) => string },
): Answer {
  const parts: Part[] = []
  const { content, refusal, tool_calls: calls = [] } = spoken
  if (content !== undefined) {
    parts.push({ kind: 'content', tokens: split(untilStop(content, stop)) })
  }
  if (refusal !== undefined) parts.push({ kind: 'refusal', tokens: split(refusal) })
  calls.forEach(({ name: text, arguments: given }, index) => {
    const name = { text, tokens: split(text) }
    parts.push({ kind: 'tool_call', id: callId(index), name, tokens: split(given) })
  })
  const usual = calls.length > 0 ? 'tool_calls' : 'stop'
  const whole: Answer = { parts, finishReason: spoken.finish_reason ?? usual }
  return maxTokens === Infinity ? whole : cutAt(whole, maxTokens)
}

function untilStop(text: string, stop: readonly string[]): string {
  const ends = stop.map((each) => text.indexOf(each)).filter((at) => at !== -1)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
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
  return cut ? { parts, finishReason: 'length' } : answer
}

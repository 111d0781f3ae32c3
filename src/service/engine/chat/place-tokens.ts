import type { SampledSpan } from './answer-text.js'
import type { AnswerTokens } from './model-tokens.js'
import type { Token } from './token.js'

/** Splits the text of an answer into tokens. Undefined if the encoding cannot represent it. */
type Tokenize = (text: string) => readonly Token[] | undefined

type Lists = Record<'content' | 'refusal' | 'end', Token[]> & {
  calls: Record<'head' | 'tokens' | 'tail', Token[]>[]
}

/** A part of the text with its place, and the list that its tokens go to. */
interface PlacedSpan extends SampledSpan {
  from: number
  to: number
  list: Token[]
}

/**
 * Splits an answer into tokens, as one text, and gives each token to a part. A token that has characters of two parts
 * goes to the one that the client sees, with only those characters as its text.
 *
 * @param alone - Splits a part alone, if the whole cannot be represented.
 */
export function placeTokens(
  spans: readonly SampledSpan[],
  { tokenize, alone }: { alone: (text: string) => readonly Token[]; tokenize: Tokenize },
): AnswerTokens {
  const lists: Lists = { content: [], refusal: [], end: [], calls: [] }
  // Many encodings compose characters, such as a letter and its accent.
  const composed = spans.map((span) => ({ ...span, text: span.text.normalize('NFC') }))
  const usual = tokenize(textOf(spans))
  const tokens = usual ?? tokenize(textOf(composed))
  if (!tokens) {
    for (const span of placedSpans(spans, lists)) addAlone(span, alone(span.text))
    return lists
  }
  const placed = placedSpans(usual ? spans : composed, lists)
  let at = 0
  for (const token of tokens) {
    const end = at + token.text.length
    add(placed, token, [at, end])
    at = end
  }
  for (const { shown, list } of placed) {
    const last = list.at(-1)
    if (shown !== undefined && last) last.text = shown
  }
  return lists
}

function textOf(spans: readonly SampledSpan[]): string {
  return spans.map(({ text }) => text).join('')
}

function placedSpans(spans: readonly SampledSpan[], lists: Lists): PlacedSpan[] {
  for (const { call } of spans) {
    if (call !== undefined) lists.calls[call] ??= { head: [], tokens: [], tail: [] }
  }
  let from = 0
  return spans.map((span, index) => {
    const to = from + span.text.length
    const owner = span.part === 'lead' ? (spans[index + 1] ?? span) : span
    const placed = { ...span, from, to, list: listOf(owner, lists) }
    from = to
    return placed
  })
}

function listOf({ part, call = 0 }: SampledSpan, { content, refusal, end, calls }: Lists): Token[] {
  if (part === 'refusal') return refusal
  if (part === 'end') return end
  if (part === 'content' || part === 'lead') return content
  const { head, tokens, tail } = calls[call]!
  if (part === 'head') return head
  return part === 'tail' ? tail : tokens
}

function isVisible({ part, from, to }: PlacedSpan): boolean {
  return to > from && (part === 'content' || part === 'refusal' || part === 'arguments')
}

function add(spans: readonly PlacedSpan[], token: Token, [from, to]: [number, number]): void {
  const touched = spans.filter((span) => {
    return from === to ? span.from <= from && span.to > from : span.from < to && span.to > from
  })
  const span = touched.find(isVisible) ?? touched[0]
  if (!span) return
  const { text: whole } = token
  if (!isVisible(span) || span.shown !== undefined) {
    // The client sees nothing of it, or gets the text with the last token.
    span.list.push(span.part === 'end' ? token : { id: token.id, text: '', whole })
    return
  }
  const text = whole.slice(Math.max(0, span.from - from), span.to - from)
  span.list.push(text === whole ? token : { id: token.id, text, whole })
}

function addAlone(span: PlacedSpan, tokens: readonly Token[]): void {
  const { part, list, shown } = span
  if (part === 'end') list.push(...tokens)
  else if (!isVisible(span))
    list.push(...tokens.map(({ id, text }) => ({ id, text: '', whole: text })))
  else if (shown === undefined) list.push(...tokens)
  else {
    list.push(
      ...tokens.map(({ id, text }, index) => {
        return { id, text: index === tokens.length - 1 ? shown : '', whole: text }
      }),
    )
  }
}

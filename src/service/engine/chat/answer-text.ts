import { fromJson, TemplateError } from '../../contract/jinja/python.js'
import { toJson } from '../../contract/jinja/write.js'
import { jsonOrText } from '../../../base/text/json-text.js'
import type { AnswerTexts } from './model-tokens.js'
import type { OwnEncoding } from './own-encoding.js'
import { callFrame } from './template.js'
import type { TemplateMessage } from './template-messages.js'

/** What renders a conversation with the tools and settings of a request. */
export interface Continuation {
  /** @throws {TemplateError} When the template refuses the conversation. */
  render: (messages: readonly TemplateMessage[], more: object) => string
  encoding: OwnEncoding
  /** The token that ends an answer, if the template shows none. */
  end: string | undefined
}

/** A part of the text that a model samples. The client sees it, or not. */
export interface SampledSpan {
  text: string
  part: 'lead' | 'content' | 'refusal' | 'head' | 'arguments' | 'tail' | 'end'
  /** The index of the call, of a part of a call. */
  call?: number
  /** What the client sees, if it is another text: the model may write arguments in another form. */
  shown?: string
}

/**
 * Finds out what a model samples for an answer: what the template writes for it in the next turn, from the end of the
 * prompt to the token that ends the turn.
 */
export function sampledAnswer(answer: AnswerTexts, continuation: Continuation): SampledSpan[] {
  const { content, refusal, calls } = answer
  // Nobody renders both.
  const text = content ?? refusal ?? ''
  for (const rendered of renderings({ text, calls }, continuation)) {
    const spans = spansOf(rendered, { text, answer, continuation })
    if (spans) return spans
  }
  return unrendered(answer, continuation)
}

const QUESTION: TemplateMessage = { role: 'user', content: 'a' }

/** What the template writes after the prompt: first with a next turn, as in the history, then as the last message. */
function* renderings(
  { text, calls }: { text: string; calls: AnswerTexts['calls'] },
  { render }: Continuation,
): Generator<string> {
  const answered: TemplateMessage = {
    role: 'assistant',
    content: text,
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  }
  const results = calls.map(({ name }, index): TemplateMessage => {
    return { role: 'tool', content: 'a', tool_call_id: idOf(index), name }
  })
  const next = calls.length > 0 ? results : [QUESTION]
  for (const after of [next, []]) {
    try {
      const opened = render([QUESTION], { add_generation_prompt: true })
      const whole = render([QUESTION, answered, ...after], { add_generation_prompt: false })
      if (whole.startsWith(opened)) yield whole.slice(opened.length)
    } catch (error) {
      // Another error than a refusal of such a conversation.
      if (!(error instanceof TemplateError)) throw error
    }
  }
}

function callOf({ name, arguments: args }: AnswerTexts['calls'][number], index: number): object {
  return { id: idOf(index), type: 'function', function: { name, arguments: jsonOrText(args) } }
}

/** Some templates want ids of nine letters and digits. */
function idOf(index: number): string {
  return `call${String(index).padStart(5, '0')}`
}

interface Rendering {
  text: string
  answer: AnswerTexts
  continuation: Continuation
}

/** Finds the parts of an answer in what follows the prompt. Undefined if the template changed its text. */
function spansOf(rendered: string, { text, answer, continuation }: Rendering) {
  const { content, calls } = answer
  const spans: SampledSpan[] = []
  const at = text === '' ? 0 : rendered.indexOf(text)
  // Before the answer, there may be a space. Anything else is what other answers have, such as thinking.
  if (at === -1 || rendered.slice(0, at).trim() !== '') return undefined
  if (at > 0) spans.push({ part: 'lead', text: rendered.slice(0, at) })
  if (text !== '') spans.push({ part: content === undefined ? 'refusal' : 'content', text })
  let rest = rendered.slice(at + text.length)
  for (const [call, { name, arguments: args }] of calls.entries()) {
    const isLast = call === calls.length - 1
    const found = callIn(rest, { name, args }) ?? (isLast && wholeCallIn(rest, continuation))
    if (!found) return undefined
    spans.push(
      { part: 'head', call, text: found.head },
      {
        part: 'arguments',
        call,
        text: found.written,
        ...(found.written !== args && { shown: args }),
      },
    )
    rest = found.rest
    if (!isLast) continue
    const { before: tail } = endOf(rest, continuation)
    spans.push({ part: 'tail', call, text: tail })
    rest = rest.slice(tail.length)
  }
  const { before, token } = endOf(rest, continuation)
  spans.push({ part: 'end', text: before + token })
  return spans
}

interface FoundCall {
  head: string
  written: string
  rest: string
}

/** Finds the next tool call: what is before its arguments, and how the template writes them. */
function callIn(
  text: string,
  { name, args }: { name: string; args: string },
): FoundCall | undefined {
  const named = text.indexOf(name)
  if (named === -1) return undefined
  const from = named + name.length
  for (const written of new Set([args, toJson(fromJson(jsonOrText(args)))])) {
    const at = written === '' ? -1 : text.indexOf(written, from)
    if (at === -1) continue
    return { head: text.slice(0, at), written, rest: text.slice(at + written.length) }
  }
  return undefined
}

/** A call whose arguments are not JSON. Its last token brings all arguments. */
function wholeCallIn(text: string, continuation: Continuation): FoundCall | undefined {
  const { before } = endOf(text, continuation)
  return before === '' ? undefined : { head: '', written: before, rest: text.slice(before.length) }
}

/** The token that ends a turn, and what is before it. */
function endOf(
  text: string,
  { encoding, end = '' }: Continuation,
): { before: string; token: string } {
  const at = end === '' ? -1 : text.indexOf(end)
  if (at !== -1) return { before: text.slice(0, at), token: end }
  return encoding.firstSpecial(text) ?? { before: '', token: end }
}

/** An answer that the template cannot write: its texts, and tool calls as most models write them. */
function unrendered(
  { content, refusal, calls }: AnswerTexts,
  { end = '' }: Continuation,
): SampledSpan[] {
  return [
    { part: 'content', text: content ?? '' },
    { part: 'refusal', text: refusal ?? '' },
    ...calls.flatMap(({ name, arguments: args }, call): SampledSpan[] => [
      { part: 'head', call, text: (call > 0 || content ? '\n' : '') + callFrame(name).head },
      { part: 'arguments', call, text: args },
      { part: 'tail', call, text: callFrame(name).tail },
    ]),
    { part: 'end', text: end },
  ]
}

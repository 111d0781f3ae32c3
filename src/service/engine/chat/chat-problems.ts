import { shortJson } from '../../../base/text/shortened.js'
import { messageRoles } from '../../contract/message.js'
import { pythonFloat } from '../../contract/pydantic/python-text.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { BadField, pythonText } from './bad-field.js'
import { limitOf, stopsOf, type ChatBody, type TypedBody } from './chat-body.js'
import { functionOf } from './tool-function.js'

/*
 * What the chat server refuses, in its words and its order. Each function yields all that is wrong; the first one is
 * the answer. The checks are those of vLLM: see docs/explain/contract.md#errors-of-the-chat-layer.
 */

/** Parameters that contradict each other. The server looks at them before it checks their types. */
export function* contradictions(body: ChatBody): Generator<BadField> {
  yield* toolProblems(body)
  yield* logprobProblems(body)
  const { stream, stream_options: options, response_format: format } = body
  if (isTruthy(options) && !isTruthy(stream)) {
    const message = 'Stream options can only be defined when `stream=True`.'
    yield BadField.worded('stream_options', message)
  }
  if (isRecord(format) && format['type'] === 'json_schema' && isMissing(format['json_schema'])) {
    const message =
      "When response_format type is 'json_schema', the 'json_schema' field must be provided."
    yield BadField.worded('response_format', message)
  }
}

const USAGE = 'Correct usage: `{"type": "function", "function": {"name": "my_function"}}`'

function* toolProblems({
  tools = null,
  tool_choice: choice = null,
}: ChatBody): Generator<BadField> {
  const refuse = (why: string, param = 'tool_choice') => BadField.worded(param, why)
  if (Array.isArray(tools) && tools.length === 0) {
    yield refuse(
      '`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.',
      'tools',
    )
  }
  if (choice === null || choice === 'none') return
  if (tools === null) yield refuse('When using `tool_choice`, `tools` must be set.')
  if (choice === 'auto' || choice === 'required') return
  if (!isRecord(choice)) {
    yield refuse(
      `Invalid value for \`tool_choice\`: ${pythonText(choice)}! Only named tools, "none", "auto" or "required" are supported.`,
    )
    return
  }
  const { function: called } = choice
  if (!isRecord(called)) {
    yield refuse(
      `Invalid value for \`function\`: \`${pythonText(called)}\` in \`tool_choice\`! ${USAGE}`,
      'tool_choice.function',
    )
    return
  }
  const { name } = called
  if (name === undefined) {
    yield refuse(
      `Expected field \`name\` in \`function\` in \`tool_choice\`! ${USAGE}`,
      'tool_choice.function.name',
    )
  } else if (typeof name !== 'string' || name === '') {
    yield refuse(
      `Invalid \`name\` in \`function\`: \`${pythonText(name)}\` in \`tool_choice\`! ${USAGE}`,
      'tool_choice.function.name',
    )
  }
  const isOffered = !Array.isArray(tools) || tools.some((tool) => functionOf(tool)['name'] === name)
  if (isOffered) return
  yield refuse('The tool specified in `tool_choice` does not match any of the specified `tools`')
}

function* logprobProblems({ top_logprobs: top, logprobs }: ChatBody): Generator<BadField> {
  if (isMissing(top)) return
  const refuse = (why: string, value?: unknown) => BadField.worded('top_logprobs', why, value)
  if (typeof top !== 'number' && typeof top !== 'boolean') {
    yield refuse('`top_logprobs` must be an integer.', top)
  }
  const count = Number(top)
  if (count < 0 && count !== -1) {
    yield refuse('`top_logprobs` must be a positive value or -1.', top)
  }
  if (count !== 0 && !isTruthy(logprobs)) {
    yield refuse('when using `top_logprobs`, `logprobs` must be set to true.')
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null
}

/** Whether a value counts as true in a condition in Python. */
function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isRecord(value) ? Object.keys(value).length > 0 : Boolean(value)
}

/** Roles whose messages may have no content. */
const MAY_HAVE_NO_CONTENT = ['assistant', 'function']

/** Messages that nobody can answer. The words are ours. */
export function* messageProblems({ messages }: ChatBody): Generator<BadField> {
  if (messages.length === 0) yield unexpected('messages', 'at least one message', messages)
  for (const [index, { role = null, content = null }] of messages.entries()) {
    if (!messageRoles.some((each) => each === role)) {
      yield unexpected(`messages[${index}].role`, `one of ${messageRoles.join(', ')}`, role)
    }
    if (content === null && MAY_HAVE_NO_CONTENT.some((each) => each === role)) continue
    if (isContent(content)) continue
    const expected = 'a text, or a list of content parts'
    yield unexpected(`messages[${index}].content`, expected, content)
  }
}

function isContent(content: unknown): boolean {
  if (typeof content === 'string') return true
  return (
    Array.isArray(content) && content.every((part) => typeof part === 'string' || isRecord(part))
  )
}

function unexpected(param: string, expected: string, got: unknown): BadField {
  return BadField.own(param, `expected ${expected}, got ${shortJson(got)}`)
}

const MOST_CHOICES = 128
const MOST_TOP_LOGPROBS = 20
const MOST_STOPS = 16
/** The number of tokens of the encoding. It is what -1 means for `top_logprobs`. */
const VOCABULARY = 100_277
/** At a lower temperature, each token is the most likely one. */
const GREEDY = 1e-5
const TOKEN_ID = /^\s*[+-]?\d+(?:_\d+)*\s*$/

/** Parameters of sampling that are out of range, or that the server or the other parameters do not allow. */
export function* samplingProblems(typed: TypedBody): Generator<BadField> {
  const choices = typed.n ?? 1
  if (choices < 1) yield outOfRange('n', 'at least 1', choices)
  if (choices > MOST_CHOICES) yield outOfRange('n', `at most ${MOST_CHOICES}`, choices)
  yield* penaltyProblems(typed)
  yield* distributionProblems(typed)
  yield* lengthProblems(typed)
  const stops = stopsOf(typed)
  if (stops.length > MOST_STOPS) yield unexpected('stop', `at most ${MOST_STOPS} texts`, stops)
  if (stops.includes('')) yield BadField.worded(null, 'stop cannot contain an empty string.')
  if (choices > 1 && (typed.temperature ?? 1) < GREEDY) {
    yield outOfRange('n', '1 when using greedy sampling', choices)
  }
  const { logprobs, top_logprobs: top, logit_bias } = typed
  const requested = top === -1 ? VOCABULARY : (top ?? 0)
  if (logprobs && requested > MOST_TOP_LOGPROBS) {
    const message = `Requested sample logprobs of ${requested}, which is greater than max allowed: ${MOST_TOP_LOGPROBS}`
    yield BadField.worded('logprobs', message, requested)
  }
  const bad = Object.keys(logit_bias ?? {}).filter((id) => !TOKEN_ID.test(id))
  if (bad.length === 0) return
  const message = `logit_bias contains key(s) that cannot be converted to integer token IDs: ${pythonText(bad)}`
  yield BadField.worded('logit_bias', message, bad)
}

function outOfRange(name: string, allowed: string, got: number | string): BadField {
  return BadField.worded(null, `${name} must be ${allowed}, got ${got}.`)
}

function* penaltyProblems(typed: TypedBody): Generator<BadField> {
  for (const name of ['presence_penalty', 'frequency_penalty'] as const) {
    const value = typed[name] ?? 0
    if (!(value >= -2 && value <= 2)) yield outOfRange(name, 'in [-2, 2]', pythonFloat(value))
  }
  const repetition = typed.repetition_penalty ?? 1
  const got = pythonFloat(repetition)
  if (!Number.isFinite(repetition)) yield outOfRange('repetition_penalty', 'a finite number', got)
  if (repetition <= 0) yield outOfRange('repetition_penalty', 'greater than zero', got)
}

function* distributionProblems(typed: TypedBody): Generator<BadField> {
  const { temperature, top_p, top_k, min_p } = typed
  const named = (name: string, allowed: string, value: number): BadField => {
    const got = pythonFloat(value)
    return BadField.worded(name, `${name} must be ${allowed}, got ${got}.`, got)
  }
  const heat = temperature ?? 1
  if (!Number.isFinite(heat)) yield named('temperature', 'a finite number', heat)
  if (heat < 0) yield named('temperature', 'non-negative', heat)
  if (heat > 2) yield named('temperature', 'in [0, 2]', heat)
  const share = top_p ?? 1
  if (!(share > 0 && share <= 1)) yield named('top_p', 'in (0, 1]', share)
  const most = top_k ?? 0
  if (most < -1) yield outOfRange('top_k', '0 (disable), or at least 1', most)
  const least = min_p ?? 0
  if (!(least >= 0 && least <= 1)) yield outOfRange('min_p', 'in [0, 1]', pythonFloat(least))
}

function* lengthProblems(typed: TypedBody): Generator<BadField> {
  const most = limitOf(typed) ?? Infinity
  if (most < 1) yield badMaxTokens(most)
  const least = typed.min_tokens ?? 0
  if (least < 0) yield outOfRange('min_tokens', 'greater than or equal to 0', least)
  if (least > most) {
    yield outOfRange('min_tokens', `less than or equal to max_tokens=${most}`, least)
  }
}

/** The problem of a request that leaves no room for an answer. */
export function badMaxTokens(got: number): BadField {
  return BadField.worded('max_tokens', `max_tokens must be at least 1, got ${got}.`, got)
}

import { shortJson } from '../../../base/text/shortened.js'
import { chatParameters, pathOf, validationMessage } from '../../contract/chat-parameters.js'
import { pythonFloat } from '../../contract/pydantic/python-text.js'
import { isRecord } from '../../contract/pydantic/record.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import { validate } from '../../contract/pydantic/validate.js'
import { readFormat, type AnswerFormat, type JsonSchema } from './answer-format.js'
import { BadField, pythonText } from './bad-field.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'

/** The supported parameters of a chat request, with defaults filled in. */
export interface ChatParams {
  model: string
  messages: readonly ChatMessage[]
  /** The number of choices. */
  choices: number
  /** The most tokens of an answer. Infinity without a limit. */
  maxTokens: number
  /** The parameter that sets `maxTokens`. */
  maxTokensParam: 'max_tokens' | 'max_completion_tokens'
  stop: readonly string[]
  seed: number | undefined
  temperature: number
  logprobs: boolean
  topLogprobs: number
  /** Whether the response includes the ids of all tokens. */
  returnsTokenIds: boolean
  /** Whether log probabilities name tokens by their ids. */
  namesTokensById: boolean
  /** Which chunks of a stream have the usage: none, one of its own at the end, or each of them and that one. */
  streamedUsage: 'none' | 'end' | 'always'
  tools: readonly Tool[]
  /** `{ name }` means that the answer must call that tool. */
  toolChoice: 'none' | 'auto' | 'required' | { name: string }
  format: AnswerFormat
  /** Reads the body without loss. Undefined: the body is exact. */
  exact?: (() => unknown) | undefined
  /** The parsed body. Values of other types are converted: `"2"` to 2 where a number is expected. */
  body: Readonly<Record<string, unknown>>
}

export interface Tool {
  name: string
  parameters: JsonSchema
  /** The path of the parameters in the request. */
  at: string
}

function badField(param: string, expected: string, got: unknown): BadField {
  return new BadField(param, `expected ${expected}, got ${shortJson(got)}`)
}

type Body = Readonly<Record<string, unknown>> & {
  model: string
  messages: readonly ChatMessage[]
}

const MOST_CHOICES = 128
const MOST_TOP_LOGPROBS = 20
const MOST_STOPS = 16
/** The number of tokens of the encoding. It is what -1 means for `top_logprobs`. */
const VOCABULARY = 100_277

/**
 * Reads the parameters of a request that has `model` and `messages`. Null counts as missing.
 *
 * @param exact - Reads the body without loss: see docs/explain/contract.md#exact-values. Default: the body is exact.
 */
export function readChatRequest(body: Body, exact?: () => unknown): ChatParams | BadField {
  const contradiction =
    findBadToolUsage(body) ??
    findBadLogprobs(body) ??
    findBadStreamOptions(body) ??
    findBadFormat(body)
  if (contradiction) return contradiction
  const checked = validate(chatParameters, body, ['body'], { exact })
  if (!checked.ok) {
    const { problems } = checked
    return Object.assign(new BadField('', ''), {
      param: pathOf(problems[0]!),
      message: validationMessage(problems),
      type: 'Bad Request',
    })
  }
  const typed: TypedBody = checked.value
  const read = findBadMessage(body.messages) ?? findBadSampling(typed) ?? paramsOf(body, typed)
  return read instanceof BadField ? read : { ...read, exact }
}

/** A body whose parameters have the right types. */
type TypedBody = Infer<typeof chatParameters> & Readonly<Record<string, unknown>>

function paramsOf({ model, messages }: Body, typed: TypedBody): ChatParams | BadField {
  const format = readFormat(typed)
  if (format instanceof BadField) return format
  const tools = toolsOf(typed)
  return {
    model,
    messages,
    choices: typed.n ?? 1,
    maxTokens: limitOf(typed) ?? Infinity,
    maxTokensParam:
      typeof typed.max_completion_tokens === 'number' ? 'max_completion_tokens' : 'max_tokens',
    stop: stopsOf(typed),
    seed: typed.seed ?? undefined,
    temperature: typed.temperature ?? 1,
    logprobs: typed.logprobs === true,
    topLogprobs: typed.top_logprobs ?? 0,
    returnsTokenIds: typed.return_token_ids === true,
    namesTokensById: typed.return_tokens_as_token_ids === true,
    streamedUsage: streamedUsageOf(typed.stream_options),
    tools,
    toolChoice: toolChoiceOf(typed['tool_choice'], tools),
    format,
    body: typed,
  }
}

/** As in `should_include_usage` of vLLM (`entrypoints/utils.py`), whose server option to force it is off by default. */
function streamedUsageOf(options: TypedBody['stream_options']): ChatParams['streamedUsage'] {
  if (options?.include_usage !== true) return 'none'
  return options.continuous_usage_stats === true ? 'always' : 'end'
}

function limitOf({ max_completion_tokens, max_tokens }: TypedBody): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined
}

function stopsOf({ stop }: TypedBody): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? [])
}

const USAGE = 'Correct usage: `{"type": "function", "function": {"name": "my_function"}}`'

function findBadToolUsage({
  tools = null,
  tool_choice: choice = null,
}: Body): BadField | undefined {
  if (Array.isArray(tools) && tools.length === 0) {
    return BadField.worded(
      'tools',
      '`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.',
    )
  }
  if (choice === null || choice === 'none') return undefined
  const refuse = (why: string, param = 'tool_choice') => BadField.worded(param, why)
  if (tools === null) return refuse('When using `tool_choice`, `tools` must be set.')
  if (choice === 'auto' || choice === 'required') return undefined
  if (!isRecord(choice)) {
    return refuse(
      `Invalid value for \`tool_choice\`: ${pythonText(choice)}! Only named tools, "none", "auto" or "required" are supported.`,
    )
  }
  const { function: called } = choice
  if (!isRecord(called)) {
    return refuse(
      `Invalid value for \`function\`: \`${pythonText(called)}\` in \`tool_choice\`! ${USAGE}`,
      'tool_choice.function',
    )
  }
  const { name } = called
  if (name === undefined) {
    return refuse(
      `Expected field \`name\` in \`function\` in \`tool_choice\`! ${USAGE}`,
      'tool_choice.function.name',
    )
  }
  if (typeof name !== 'string' || name === '') {
    return refuse(
      `Invalid \`name\` in \`function\`: \`${pythonText(name)}\` in \`tool_choice\`! ${USAGE}`,
      'tool_choice.function.name',
    )
  }
  const isOffered = !Array.isArray(tools) || tools.some((tool) => nameOf(tool) === name)
  if (isOffered) return undefined
  return refuse('The tool specified in `tool_choice` does not match any of the specified `tools`')
}

function nameOf(tool: unknown): unknown {
  const { function: called } = Object(tool) as { function?: unknown }
  return (Object(called) as { name?: unknown }).name
}

function findBadLogprobs({ top_logprobs: top, logprobs }: Body): BadField | undefined {
  if (top === undefined || top === null) return undefined
  if (typeof top !== 'number' && typeof top !== 'boolean') {
    return BadField.worded('top_logprobs', '`top_logprobs` must be an integer.', top)
  }
  const count = Number(top)
  if (count < 0 && count !== -1) {
    return BadField.worded('top_logprobs', '`top_logprobs` must be a positive value or -1.', top)
  }
  if (count === 0 || isTruthy(logprobs)) return undefined
  return BadField.worded(
    'top_logprobs',
    'when using `top_logprobs`, `logprobs` must be set to true.',
  )
}

function findBadStreamOptions({ stream, stream_options: options }: Body): BadField | undefined {
  if (!isTruthy(options) || isTruthy(stream)) return undefined
  const message = 'Stream options can only be defined when `stream=True`.'
  return BadField.worded('stream_options', message)
}

function findBadFormat({ response_format: format }: Body): BadField | undefined {
  if (!isRecord(format) || format['type'] !== 'json_schema') return undefined
  if (format['json_schema'] !== undefined && format['json_schema'] !== null) return undefined
  const message =
    "When response_format type is 'json_schema', the 'json_schema' field must be provided."
  return BadField.worded('response_format', message)
}

/** Whether a value counts as true in a condition in Python. */
function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isRecord(value) ? Object.keys(value).length > 0 : Boolean(value)
}

/** Finds a parameter of sampling that is out of range. The server checks them in this order. */
function findBadSampling(typed: TypedBody): BadField | undefined {
  return (
    findBadCount(typed) ??
    findBadPenalty(typed) ??
    findBadDistribution(typed) ??
    findBadLength(typed) ??
    findBadStop(typed) ??
    findBadLimit(typed)
  )
}

function findBadCount({ n }: TypedBody): BadField | undefined {
  const count = n ?? 1
  if (count < 1) return BadField.worded(null, `n must be at least 1, got ${count}.`)
  if (count <= MOST_CHOICES) return undefined
  return BadField.worded(null, `n must be at most ${MOST_CHOICES}, got ${count}.`)
}

function findBadPenalty(typed: TypedBody): BadField | undefined {
  for (const name of ['presence_penalty', 'frequency_penalty'] as const) {
    const value = typed[name] ?? 0
    if (value >= -2 && value <= 2) continue
    return BadField.worded(null, `${name} must be in [-2, 2], got ${pythonFloat(value)}.`)
  }
  const repetition = typed.repetition_penalty ?? 1
  const got = pythonFloat(repetition)
  if (!Number.isFinite(repetition)) {
    return BadField.worded(null, `repetition_penalty must be a finite number, got ${got}.`)
  }
  if (repetition > 0) return undefined
  return BadField.worded(null, `repetition_penalty must be greater than zero, got ${got}.`)
}

function findBadDistribution(typed: TypedBody): BadField | undefined {
  const { temperature, top_p, top_k, min_p } = typed
  const heat = temperature ?? 1
  const expected = expectedTemperature(heat)
  if (expected !== undefined) {
    const got = pythonFloat(heat)
    return BadField.worded('temperature', `temperature must be ${expected}, got ${got}.`, got)
  }
  const share = top_p ?? 1
  if (!(share > 0 && share <= 1)) {
    const got = pythonFloat(share)
    return BadField.worded('top_p', `top_p must be in (0, 1], got ${got}.`, got)
  }
  if ((top_k ?? 0) < -1) {
    return BadField.worded(null, `top_k must be 0 (disable), or at least 1, got ${top_k}.`)
  }
  const least = min_p ?? 0
  if (least >= 0 && least <= 1) return undefined
  return BadField.worded(null, `min_p must be in [0, 1], got ${pythonFloat(least)}.`)
}

function expectedTemperature(temperature: number): string | undefined {
  if (!Number.isFinite(temperature)) return 'a finite number'
  if (temperature < 0) return 'non-negative'
  return temperature > 2 ? 'in [0, 2]' : undefined
}

function findBadLength(typed: TypedBody): BadField | undefined {
  const most = limitOf(typed) ?? Infinity
  if (most < 1) return badMaxTokens(most)
  const least = typed.min_tokens ?? 0
  if (least < 0) {
    return BadField.worded(null, `min_tokens must be greater than or equal to 0, got ${least}.`)
  }
  if (least <= most) return undefined
  const message = `min_tokens must be less than or equal to max_tokens=${most}, got ${least}.`
  return BadField.worded(null, message)
}

/** The problem of a request that leaves no room for an answer. */
export function badMaxTokens(got: number): BadField {
  return BadField.worded('max_tokens', `max_tokens must be at least 1, got ${got}.`, got)
}

function findBadStop(typed: TypedBody): BadField | undefined {
  const stops = stopsOf(typed)
  if (stops.length > MOST_STOPS) {
    return badField('stop', `at most ${MOST_STOPS} texts`, stops)
  }
  if (!stops.includes('')) return undefined
  return BadField.worded(null, 'stop cannot contain an empty string.')
}

/** Finds a parameter that is valid by itself, but that the server or the other parameters do not allow. */
function findBadLimit(typed: TypedBody): BadField | undefined {
  const { n, temperature, logprobs, top_logprobs: top, logit_bias } = typed
  if ((n ?? 1) > 1 && (temperature ?? 1) < GREEDY) {
    return BadField.worded(null, `n must be 1 when using greedy sampling, got ${n}.`)
  }
  const requested = top === -1 ? VOCABULARY : (top ?? 0)
  if (logprobs && requested > MOST_TOP_LOGPROBS) {
    const message = `Requested sample logprobs of ${requested}, which is greater than max allowed: ${MOST_TOP_LOGPROBS}`
    return BadField.worded('logprobs', message, requested)
  }
  const bad = Object.keys(logit_bias ?? {}).filter((id) => !TOKEN_ID.test(id))
  if (bad.length === 0) return undefined
  const message = `logit_bias contains key(s) that cannot be converted to integer token IDs: ${pythonText(bad)}`
  return BadField.worded('logit_bias', message, bad)
}

/** At a lower temperature, each token is the most likely one. */
const GREEDY = 1e-5
const TOKEN_ID = /^\s*[+-]?\d+(?:_\d+)*\s*$/

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function']

function findBadMessage(messages: readonly ChatMessage[]): BadField | undefined {
  if (messages.length === 0) return badField('messages', 'at least one message', messages)
  for (const [index, { role = null, content = null }] of messages.entries()) {
    if (!ROLES.includes(role as string)) {
      return badField(`messages[${index}].role`, `one of ${ROLES.join(', ')}`, role)
    }
    if (content === null && MAY_HAVE_NO_CONTENT.includes(role as string)) continue
    const expected = 'a text, or a list of content parts'
    if (!isContent(content)) return badField(`messages[${index}].content`, expected, content)
  }
  return undefined
}

/** Roles whose messages may have no content. */
const MAY_HAVE_NO_CONTENT = ['assistant', 'function']

function isContent(content: unknown): boolean {
  if (typeof content === 'string') return true
  return (
    Array.isArray(content) && content.every((part) => typeof part === 'string' || isRecord(part))
  )
}

function toolsOf({ tools }: TypedBody): Tool[] {
  return (tools ?? []).map(({ function: { name, parameters } }, index) => {
    return { name, parameters: parameters ?? {}, at: `tools[${index}].function.parameters` }
  })
}

/** Returns the choice. It was checked with the tools. */
function toolChoiceOf(choice: unknown, tools: readonly Tool[]): ChatParams['toolChoice'] {
  const chosen = choice ?? (tools.length > 0 ? 'auto' : 'none')
  if (chosen === 'none' || chosen === 'auto' || chosen === 'required') return chosen
  return { name: nameOf(chosen) as string }
}

import { isRecord } from '../../contract/pydantic/record.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'

/** The supported parameters of a chat request, with defaults filled in. */
export interface ChatParams {
  model: string
  messages: readonly ChatMessage[]
  /** The number of choices. */
  choices: number
  /** The most tokens of an answer. Infinity without a limit. */
  maxTokens: number
  stop: readonly string[]
  seed: number | undefined
  temperature: number
  logprobs: boolean
  topLogprobs: number
  /** Whether the response includes the ids of all tokens. */
  returnsTokenIds: boolean
  /** Whether log probabilities name tokens by their ids. */
  namesTokensById: boolean
  tools: readonly Tool[]
  /** `{ name }` means that the answer must call that tool. */
  toolChoice: 'none' | 'auto' | 'required' | { name: string }
  /** `text` for any text, `json` for any JSON, or the JSON Schema that the answer must match. */
  format: 'text' | 'json' | { schema: JsonSchema }
  body: Readonly<Record<string, unknown>>
  /** A prompt that no chat template renders: a text or token ids. Default: the messages and tools. */
  prompt?: string | readonly number[]
}

export interface Tool {
  name: string
  parameters: JsonSchema
  /** The path of the parameters in the request. */
  at: string
}

export const FORMAT_AT = 'response_format.json_schema.schema'

export type JsonSchema = Readonly<Record<string, unknown>> | boolean

/** A field of a request whose value is refused, with the reason. */
export class BadField {
  readonly param: string
  readonly message: string

  constructor(param: string, why: string) {
    this.param = param
    this.message = `${param}: ${why}`
  }

  /** Makes a problem with a message of the real server: see docs/contract.md#errors-of-the-chat-layer. */
  static worded(param: string, message: string): BadField {
    return Object.assign(new BadField(param, ''), { message: `${message} (parameter=${param})` })
  }
}

export function badField(param: string, expected: string, got: unknown): BadField {
  return new BadField(param, `expected ${expected}, got ${formatValue(got)}`)
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

type Body = Readonly<Record<string, unknown>> & {
  model: string
  messages: readonly ChatMessage[]
}

const MOST_CHOICES = 128
const MOST_TOP_LOGPROBS = 20
const MOST_STOPS = 16

/** Reads the parameters of a request that has `model` and `messages`. Null counts as missing. */
export function readChatRequest(body: Body): ChatParams | BadField {
  const bad =
    findBadRange(body) ??
    findBadSwitch(body) ??
    findBadPair(body) ??
    findBadStreamOptions(body) ??
    findBadBias(body) ??
    findBadMessage(body.messages) ??
    findBadTool(body)
  if (bad) return bad
  const { model, messages, n, seed, temperature, logprobs, top_logprobs } = body
  const toolChoice = readToolChoice(body)
  if (toolChoice instanceof BadField) return toolChoice
  const format = readFormat(body.response_format)
  if (format instanceof BadField) return format
  const stop = readStop(body.stop)
  if (stop instanceof BadField) return stop
  return {
    model,
    messages,
    choices: number(n) ?? 1,
    maxTokens: limitOf(body),
    stop,
    seed: number(seed),
    temperature: number(temperature) ?? 1,
    logprobs: logprobs === true,
    topLogprobs: number(top_logprobs) ?? 0,
    returnsTokenIds: body.return_token_ids === true,
    namesTokensById: body.return_tokens_as_token_ids === true,
    tools: toolsOf(body),
    toolChoice,
    format,
    body,
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

interface Range {
  from: number
  to: number
  whole?: boolean
  /** Whether `from` itself is excluded. */
  above?: boolean
}

const ranges: Readonly<Record<string, Range>> = {
  n: { from: 1, to: MOST_CHOICES, whole: true },
  max_tokens: { from: 1, to: Infinity, whole: true },
  min_tokens: { from: 0, to: Infinity, whole: true },
  max_completion_tokens: { from: 1, to: Infinity, whole: true },
  seed: { from: -Infinity, to: Infinity, whole: true },
  temperature: { from: 0, to: 2 },
  top_p: { from: 0, to: 1, above: true },
  presence_penalty: { from: -2, to: 2 },
  frequency_penalty: { from: -2, to: 2 },
  top_logprobs: { from: 0, to: MOST_TOP_LOGPROBS, whole: true },
}

const SWITCHES = ['logprobs', 'stream', 'return_token_ids', 'return_tokens_as_token_ids'] as const

function findBadRange(body: Body): BadField | undefined {
  for (const name in ranges) {
    const value = body[name] ?? undefined
    if (value !== undefined && !fitsRange(value, ranges[name]!)) {
      return badField(name, formatRange(ranges[name]!), value)
    }
  }
  return undefined
}

function fitsRange(value: unknown, { from, to, whole = false, above = false }: Range): boolean {
  if (typeof value !== 'number' || value < from || value > to) return false
  return (!whole || Number.isInteger(value)) && (!above || value > from)
}

function findBadSwitch(body: Body): BadField | undefined {
  for (const name of SWITCHES) {
    const value = body[name] ?? false
    if (typeof value !== 'boolean') return badField(name, 'true or false', value)
  }
  return undefined
}

/** Finds fields that contradict each other. */
function findBadPair(body: Body): BadField | undefined {
  const { top_logprobs, logprobs } = body
  if (typeof top_logprobs === 'number' && top_logprobs > 0 && logprobs !== true) {
    return badField('logprobs', 'true, as top_logprobs is given', logprobs ?? false)
  }
  const most = limitOf(body)
  const least = number(body.min_tokens) ?? 0
  return least > most ? badField('min_tokens', `at most max_tokens (${most})`, least) : undefined
}

function limitOf(body: Body): number {
  return number(body.max_completion_tokens) ?? number(body.max_tokens) ?? Infinity
}

const STREAM_OPTIONS = ['include_usage', 'continuous_usage_stats']

function findBadStreamOptions({ stream, stream_options: options }: Body): BadField | undefined {
  if (options === undefined || options === null) return undefined
  if (!isRecord(options)) return badField('stream_options', 'an object', options)
  if (stream !== true) {
    const message = 'Stream options can only be defined when `stream=True`.'
    return BadField.worded('stream_options', message)
  }
  for (const name of STREAM_OPTIONS) {
    const value = options[name] ?? false
    if (typeof value !== 'boolean')
      return badField(`stream_options.${name}`, 'true or false', value)
  }
  return undefined
}

function findBadBias({ logit_bias }: Body): BadField | undefined {
  const bias = logit_bias ?? {}
  if (!isRecord(bias)) return badField('logit_bias', 'an object of token ids and numbers', bias)
  for (const [id, value] of Object.entries(bias)) {
    if (!/^\d+$/.test(id)) return badField('logit_bias', 'token ids as keys', id)
    if (typeof value !== 'number') return badField(`logit_bias.${id}`, 'a number', value)
  }
  return undefined
}

function formatRange({ from, to, whole, above }: Range): string {
  const kind = whole ? 'a whole number' : 'a number'
  if (above) return `${kind} above ${from}, at most ${to}`
  if (from === -Infinity) return kind
  return to === Infinity ? `${kind} of at least ${from}` : `${kind} from ${from} to ${to}`
}

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

function readStop(stop: unknown): string[] | BadField {
  const texts = typeof stop === 'string' ? [stop] : (stop ?? [])
  const fits = Array.isArray(texts) && texts.every((text) => typeof text === 'string')
  if (fits && texts.length <= MOST_STOPS) return texts.filter((text) => text !== '')
  return badField('stop', `a text, or a list of at most ${MOST_STOPS} texts`, stop)
}

interface RawTool {
  type?: unknown
  function?: { name?: unknown; parameters?: unknown }
}

function findBadTool({ tools }: Body): BadField | undefined {
  const list = tools ?? []
  if (!Array.isArray(list)) return badField('tools', 'a list', list)
  for (const [index, tool] of list.entries()) {
    const { type, function: called } = Object(tool) as RawTool
    if (type !== 'function') return badField(`tools[${index}].type`, '"function"', type ?? null)
    const name = (Object(called) as { name?: unknown }).name
    if (typeof name !== 'string' || name === '') {
      return badField(`tools[${index}].function.name`, 'a name', name ?? null)
    }
  }
  return undefined
}

function toolsOf({ tools }: Body): Tool[] {
  return ((tools ?? []) as RawTool[]).map(({ function: called }, index) => {
    const { name, parameters } = called!
    const at = `tools[${index}].function.parameters`
    return { name: name as string, parameters: isSchema(parameters) ? parameters : {}, at }
  })
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isRecord(value)
}

function readToolChoice(body: Body): ChatParams['toolChoice'] | BadField {
  const { tool_choice: choice } = body
  const names = toolsOf(body).map(({ name }) => name)
  const chosen = choice ?? (names.length > 0 ? 'auto' : 'none')
  if (chosen === 'none' || chosen === 'auto') return chosen
  if (chosen === 'required') {
    return names.length > 0 ? chosen : badField('tool_choice', 'tools beside it', choice)
  }
  const { function: called } = Object(chosen) as { function?: { name?: unknown } }
  const name = called?.name
  if (typeof name === 'string' && names.includes(name)) return { name }
  const known = names.length > 0 ? ` (${names.join(', ')})` : ''
  return badField('tool_choice', `none, auto, required, or one of the tools${known}`, choice)
}

interface RawFormat {
  type?: unknown
  json_schema?: { schema?: unknown }
}

function readFormat(responseFormat: unknown): ChatParams['format'] | BadField {
  const { type, json_schema: named } = Object(responseFormat ?? { type: 'text' }) as RawFormat
  if (type === 'text') return 'text'
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema') {
    const expected = 'one of text, json_object, json_schema'
    return badField('response_format.type', expected, type ?? null)
  }
  const schema = (Object(named) as { schema?: unknown }).schema
  if (isSchema(schema)) return { schema }
  return badField(FORMAT_AT, 'a JSON Schema', schema ?? null)
}

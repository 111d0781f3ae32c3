import { isRecord } from '../../contract/validation/own-property.js'
import type { ChatMessage } from './facts.js'

/** What a chat request asks for, as far as it is heeded; what it leaves out is filled in. */
export interface Asked {
  model: string
  messages: readonly ChatMessage[]
  /** How many answers. */
  choices: number
  /** Infinity where there is no limit. */
  maxTokens: number
  stop: readonly string[]
  seed: number | undefined
  temperature: number
  logprobs: boolean
  topLogprobs: number
  /** Whether the ids of all tokens are asked for. */
  returnsTokenIds: boolean
  /** Whether log probabilities name tokens by their ids. */
  namesTokensById: boolean
  tools: readonly Tool[]
  /** `{ name }`: that tool, and no other. */
  toolChoice: 'none' | 'auto' | 'required' | { name: string }
  /** The JSON Schema that the answer must satisfy; `text` where it may be any text. */
  format: 'text' | 'json' | { schema: JsonSchema }
  body: Readonly<Record<string, unknown>>
}

export interface Tool {
  name: string
  parameters: JsonSchema
  /** The place of the parameters in the request. */
  at: string
}

export const FORMAT_AT = 'response_format.json_schema.schema'

export type JsonSchema = Readonly<Record<string, unknown>> | boolean

/** A field whose value is refused, and why. */
export class BadField {
  readonly param: string
  readonly message: string

  constructor(param: string, why: string) {
    this.param = param
    this.message = `${param}: ${why}`
  }
}

function unfit(param: string, expected: string, got: unknown): BadField {
  return new BadField(param, `expected ${expected}, got ${shown(got)}`)
}

function shown(value: unknown): string {
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

/** Reads a request whose `model` and `messages` are there. Null stands for left out. */
export function readChatRequest(body: Body): Asked | BadField {
  const bad = findBadRange(body) ?? findBadMessage(body.messages) ?? findBadTool(body)
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
    maxTokens: number(body.max_completion_tokens) ?? number(body.max_tokens) ?? Infinity,
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
}

const ranges: Readonly<Record<string, Range>> = {
  n: { from: 1, to: MOST_CHOICES, whole: true },
  max_tokens: { from: 1, to: Infinity, whole: true },
  max_completion_tokens: { from: 1, to: Infinity, whole: true },
  seed: { from: -Infinity, to: Infinity, whole: true },
  temperature: { from: 0, to: 2 },
  top_p: { from: 0, to: 1 },
  presence_penalty: { from: -2, to: 2 },
  frequency_penalty: { from: -2, to: 2 },
  top_logprobs: { from: 0, to: MOST_TOP_LOGPROBS, whole: true },
}

const SWITCHES = ['logprobs', 'stream', 'return_token_ids', 'return_tokens_as_token_ids'] as const

function findBadRange(body: Body): BadField | undefined {
  for (const name in ranges) {
    const value = body[name] ?? undefined
    if (value === undefined) continue
    const range = ranges[name]!
    const { from, to, whole = false } = range
    const fits = typeof value === 'number' && value >= from && value <= to
    if (!fits || (whole && !Number.isInteger(value))) return unfit(name, told(range), value)
  }
  for (const name of SWITCHES) {
    const value = body[name] ?? false
    if (typeof value !== 'boolean') return unfit(name, 'true or false', value)
  }
  const { top_logprobs, logprobs } = body
  if (typeof top_logprobs === 'number' && top_logprobs > 0 && logprobs !== true) {
    return unfit('logprobs', 'true, as top_logprobs is given', logprobs ?? false)
  }
  return undefined
}

function told({ from, to, whole }: Range): string {
  const kind = whole ? 'a whole number' : 'a number'
  if (from === -Infinity) return kind
  return to === Infinity ? `${kind} of at least ${from}` : `${kind} from ${from} to ${to}`
}

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function']

function findBadMessage(messages: readonly ChatMessage[]): BadField | undefined {
  if (messages.length === 0) return unfit('messages', 'at least one message', messages)
  const index = messages.findIndex(({ role }) => !ROLES.includes(role as string))
  if (index === -1) return undefined
  const { role = null } = messages[index]!
  return unfit(`messages[${index}].role`, `one of ${ROLES.join(', ')}`, role)
}

function readStop(stop: unknown): string[] | BadField {
  const texts = typeof stop === 'string' ? [stop] : (stop ?? [])
  const fits = Array.isArray(texts) && texts.every((text) => typeof text === 'string')
  if (fits && texts.length <= MOST_STOPS) return texts.filter((text) => text !== '')
  return unfit('stop', `a text, or a list of at most ${MOST_STOPS} texts`, stop)
}

interface RawTool {
  type?: unknown
  function?: { name?: unknown; parameters?: unknown }
}

function findBadTool({ tools }: Body): BadField | undefined {
  const given = tools ?? []
  if (!Array.isArray(given)) return unfit('tools', 'a list', given)
  for (const [index, tool] of given.entries()) {
    const { type, function: called } = Object(tool) as RawTool
    if (type !== 'function') return unfit(`tools[${index}].type`, '"function"', type ?? null)
    const name = (Object(called) as { name?: unknown }).name
    if (typeof name !== 'string' || name === '') {
      return unfit(`tools[${index}].function.name`, 'a name', name ?? null)
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

function readToolChoice(body: Body): Asked['toolChoice'] | BadField {
  const { tool_choice: choice } = body
  const names = toolsOf(body).map(({ name }) => name)
  const chosen = choice ?? (names.length > 0 ? 'auto' : 'none')
  if (chosen === 'none' || chosen === 'auto') return chosen
  if (chosen === 'required') {
    return names.length > 0 ? chosen : unfit('tool_choice', 'tools beside it', choice)
  }
  const { function: called } = Object(chosen) as { function?: { name?: unknown } }
  const name = called?.name
  if (typeof name === 'string' && names.includes(name)) return { name }
  const known = names.length > 0 ? ` (${names.join(', ')})` : ''
  return unfit('tool_choice', `none, auto, required, or one of the tools${known}`, choice)
}

interface RawFormat {
  type?: unknown
  json_schema?: { schema?: unknown }
}

function readFormat(given: unknown): Asked['format'] | BadField {
  const { type, json_schema: named } = Object(given ?? { type: 'text' }) as RawFormat
  if (type === 'text') return 'text'
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema') {
    const expected = 'one of text, json_object, json_schema'
    return unfit('response_format.type', expected, type ?? null)
  }
  const schema = (Object(named) as { schema?: unknown }).schema
  if (isSchema(schema)) return { schema }
  return unfit(FORMAT_AT, 'a JSON Schema', schema ?? null)
}

import { ApiError } from '../contract/errors.js'
import { isRecord } from '../contract/pydantic/record.js'
import { badField, BadField } from '../engine/chat/chat-params.js'
import type { ChatMessage } from '../scenario/chat-facts.js'
import { COMMON_FIELDS, sameFields } from './wire-body.js'
import type { ChatBody } from './wire.js'

export type ResponsesBody = Readonly<Record<string, unknown>> & { readonly model: string }

/** Reads a request as the body of a chat. */
export function readResponsesRequest(body: ResponsesBody): ChatBody | BadField | ApiError {
  const messages = readMessages(body)
  if (messages instanceof BadField) return messages
  const tools = readTools(body.tools)
  if (tools instanceof BadField) return tools
  const choice = readToolChoice(body.tool_choice)
  if (choice instanceof BadField) return choice
  const format = readFormat(body.text)
  if (format instanceof BadField) return format
  return (
    findUnsupported(body) ?? {
      ...sameFields(body, [...COMMON_FIELDS, 'stop']),
      model: body.model,
      messages,
      max_completion_tokens: body.max_output_tokens,
      // A chat refuses a number of alternatives without it.
      logprobs: true,
      top_logprobs: body.top_logprobs,
      tools,
      tool_choice: choice,
      response_format: format,
    }
  )
}

/** What the emulator does not have: conversations that the server stores. */
function findUnsupported(body: ResponsesBody): BadField | ApiError | undefined {
  const { previous_response_id: previous, include } = body
  if (typeof previous === 'string') {
    return new ApiError(404, `Response with id '${previous}' not found.`, {
      envelope: true,
      type: 'invalid_request_error',
      param: 'response_id',
    })
  }
  if ((body.prompt ?? null) !== null) {
    return BadField.worded('prompt', 'prompt template is not supported')
  }
  for (const name of ['previous_response_id', 'conversation'] as const) {
    const value = body[name] ?? null
    if (value !== null) return badField(name, NOTHING_STORED, value)
  }
  if (body.background === true) return badField('background', `false: ${STORES_NOTHING}`, true)
  return Array.isArray(include ?? []) ? undefined : badField('include', 'a list', include)
}

const STORES_NOTHING = 'the emulator stores no responses'
const NOTHING_STORED = `nothing, because ${STORES_NOTHING}; send all items in input`

type Json = Readonly<Record<string, unknown>>

function readMessages({ input, instructions }: ResponsesBody): ChatMessage[] | BadField {
  const system = instructions ?? undefined
  if (system !== undefined && typeof system !== 'string') {
    return badField('instructions', 'a text', system)
  }
  const messages: ChatMessage[] = []
  if (system !== undefined) messages.push({ role: 'system', content: system })
  if (typeof input === 'string') return [...messages, { role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0) {
    return badField('input', 'a text, or a list of items', input)
  }
  for (const [index, item] of input.entries()) {
    const problem = addItem(item, { messages, at: `input[${index}]` })
    if (problem) return problem
  }
  return messages
}

interface Adding {
  messages: ChatMessage[]
  /** The path of the item in the request. */
  at: string
}

const ITEMS = 'message, function_call, function_call_output or reasoning'

/** Adds an item of the input to the messages of the chat. */
function addItem(item: unknown, adding: Adding): BadField | undefined {
  if (!isRecord(item)) return badField(adding.at, 'an item', item)
  switch (item.type ?? 'message') {
    case 'message':
      return addMessage(item, adding)
    case 'function_call':
      return addCall(item, adding)
    case 'function_call_output':
      return addOutput(item, adding)
    // The emulator has no reasoning, but agents send back what they got elsewhere.
    case 'reasoning':
      return undefined
    default:
      return badField(`${adding.at}.type`, ITEMS, item.type)
  }
}

const ROLES = ['user', 'assistant', 'system', 'developer']

function addMessage({ role, content }: Json, { messages, at }: Adding): BadField | undefined {
  if (!ROLES.includes(role as string)) {
    return badField(`${at}.role`, `one of ${ROLES.join(', ')}`, role ?? null)
  }
  const read = readContent(content, `${at}.content`)
  if (read instanceof BadField) return read
  messages.push({ role, content: read })
  return undefined
}

/** Adds a call to the assistant's message before it, if there is one: both are one turn. */
function addCall(item: Json, { messages, at }: Adding): BadField | undefined {
  for (const name of ['call_id', 'name', 'arguments']) {
    if (typeof item[name] !== 'string')
      return badField(`${at}.${name}`, 'a text', item[name] ?? null)
  }
  const { call_id: id, name, arguments: args } = item
  const call = { id, type: 'function', function: { name, arguments: args } }
  const last = messages.at(-1)
  if (last?.role === 'assistant') {
    const { tool_calls: before = [] } = last as { tool_calls?: readonly unknown[] }
    messages[messages.length - 1] = { ...last, tool_calls: [...before, call] }
  } else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  return undefined
}

function addOutput({ call_id: id, output }: Json, { messages, at }: Adding): BadField | undefined {
  if (typeof id !== 'string') return badField(`${at}.call_id`, 'a text', id ?? null)
  const content = readContent(output, `${at}.output`)
  if (content instanceof BadField) return content
  messages.push({ role: 'tool', tool_call_id: id, content })
  return undefined
}

const PARTS = 'input_text, output_text, input_image, input_file or refusal'

/** Reads a text or a list of parts as the content of a chat message. */
function readContent(content: unknown, at: string): string | object[] | BadField {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return badField(at, 'a text, or a list of parts', content ?? null)
  const parts: object[] = []
  for (const [index, part] of content.entries()) {
    const read = readPart(part, `${at}[${index}]`)
    if (read instanceof BadField) return read
    parts.push(read)
  }
  const [first] = parts as { text?: unknown }[]
  return parts.length === 1 && typeof first?.text === 'string' ? first.text : parts
}

function readPart(part: unknown, at: string): object | BadField {
  if (!isRecord(part)) return badField(at, 'a part', part)
  const { type, text = null, refusal = null, image_url: url, detail } = part
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return typeof text === 'string'
        ? { type: 'text', text }
        : badField(`${at}.text`, 'a text', text)
    case 'refusal':
      if (typeof refusal === 'string') return { type: 'text', text: refusal }
      return badField(`${at}.refusal`, 'a text', refusal)
    case 'input_image':
      return { type: 'image_url', image_url: { url, detail } }
    case 'input_file':
      return { type: 'file' }
    default:
      return badField(`${at}.type`, PARTS, type ?? null)
  }
}

/** Tools have the fields of a function at their top level. */
function readTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools
  const read: object[] = []
  for (const [index, tool] of tools.entries()) {
    const { type, ...called } = Object(tool) as Json
    if (type !== 'function') return badField(`tools[${index}].type`, '"function"', type ?? null)
    read.push({ type, function: called })
  }
  return read.length > 0 ? read : undefined
}

const CHOICES = 'none, auto, required, or { "type": "function", "name": … }'

function readToolChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return choice
  const { type, name } = choice
  if (type !== 'function') return badField('tool_choice', CHOICES, choice)
  return { type, function: { name } }
}

function readFormat(text: unknown): unknown {
  if ((text ?? null) === null) return undefined
  if (!isRecord(text)) return badField('text', 'an object', text)
  const format = text.format ?? { type: 'text' }
  if (!isRecord(format)) return badField('text.format', 'an object', format)
  const { type, ...named } = format
  return type === 'json_schema' ? { type, json_schema: named } : { type }
}

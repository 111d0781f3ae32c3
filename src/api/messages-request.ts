import { isRecord } from '../contract/pydantic/record.js'
import { badField, BadField } from '../engine/chat/chat-params.js'
import type { ChatMessage } from '../scenario/chat-facts.js'
import { COMMON_FIELDS, sameFields } from './wire-body.js'
import type { ChatBody } from './wire.js'

type Json = Readonly<Record<string, unknown>>

export type MessagesBody = Json & { readonly model: string; readonly messages: readonly Json[] }

/** Reads a request as the body of a chat. */
export function readMessagesRequest(body: MessagesBody): ChatBody | BadField {
  const messages = readMessages(body)
  if (messages instanceof BadField) return messages
  const tools = readTools(body.tools)
  if (tools instanceof BadField) return tools
  const choice = readToolChoice(body.tool_choice)
  if (choice instanceof BadField) return choice
  const format = readFormat(body.output_config)
  if (format instanceof BadField) return format
  if (body.max_tokens !== undefined && Number(body.max_tokens) <= 0) {
    return BadField.worded('max_tokens', 'max_tokens must be positive')
  }
  return {
    ...sameFields(body, [...COMMON_FIELDS, 'max_tokens', 'logprobs']),
    model: body.model,
    messages,
    stop: body.stop_sequences,
    tools,
    tool_choice: choice,
    response_format: format,
  }
}

/** Converts as the server does: see docs/contract.md#extension-wires. */
function readMessages({ system, messages }: MessagesBody): ChatMessage[] | BadField {
  const read: ChatMessage[] = []
  const instructions: string[] = []
  const texts = textsOf(system ?? '', 'system')
  if (texts instanceof BadField) return texts
  instructions.push(...texts)
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    const { role, content } = message
    if (role === 'system') {
      const more = textsOf(content, `${at}.content`)
      if (more instanceof BadField) return more
      instructions.push(...more)
    } else if (role === 'user' || role === 'assistant') {
      const problem = addMessage(message, { role, messages: read, at })
      if (problem) return problem
    } else return badField(`${at}.role`, 'user, assistant or system', role ?? null)
  }
  const joined = instructions.join('')
  return joined === '' ? read : [{ role: 'system', content: joined }, ...read]
}

/** The texts of instructions: a text, or a list of text blocks. */
function textsOf(content: unknown, at: string): string[] | BadField {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return badField(at, BLOCKS, content ?? null)
  const texts: string[] = []
  for (const [index, block] of content.entries()) {
    const { type, text } = Object(block) as Json
    if (type !== 'text' || typeof text !== 'string') {
      return badField(`${at}[${index}]`, 'a text block', block)
    }
    texts.push(text)
  }
  return texts
}

const BLOCKS = 'a text, or a list of content blocks'

interface Adding {
  role: 'user' | 'assistant'
  messages: ChatMessage[]
  /** The path of the message in the request. */
  at: string
}

function addMessage({ content }: Json, { role, messages, at }: Adding): BadField | undefined {
  if (typeof content === 'string') {
    messages.push({ role, content })
    return undefined
  }
  if (!Array.isArray(content)) return badField(`${at}.content`, BLOCKS, content ?? null)
  const parts: object[] = []
  const calls: object[] = []
  for (const [index, block] of content.entries()) {
    const problem = addBlock(block, { parts, calls, messages, at: `${at}.content[${index}]` })
    if (problem) return problem
  }
  const [first] = parts as { text?: string }[]
  const isText = parts.length === 1 && first?.text !== undefined
  const read = isText ? first.text : parts
  // The results of tools are messages of their own. Nothing is left of a message that has only these.
  if (role === 'user' && parts.length === 0) return undefined
  messages.push({
    role,
    content: parts.length === 0 ? null : read,
    ...(calls.length > 0 && { tool_calls: calls }),
  })
  return undefined
}

interface AddingBlock {
  parts: object[]
  calls: object[]
  messages: ChatMessage[]
  at: string
}

const BLOCK_TYPES = 'text, image, tool_use, tool_result, thinking or redacted_thinking'

function addBlock(block: unknown, adding: AddingBlock): BadField | undefined {
  const { parts, calls, at } = adding
  if (!isRecord(block)) return badField(at, 'a content block', block)
  const { type, text = null, source, id, name, input } = block
  switch (type) {
    case 'text':
      if (typeof text !== 'string') return badField(`${at}.text`, 'a text', text)
      parts.push({ type: 'text', text })
      return undefined
    case 'image':
      if (!isRecord(source)) return badField(`${at}.source`, 'an object', source ?? null)
      parts.push(imageOf(source))
      return undefined
    case 'tool_use': {
      if (typeof name !== 'string') return badField(`${at}.name`, 'a text', name ?? null)
      const called = { name, arguments: JSON.stringify(input ?? {}) }
      calls.push({ id: textOr(id, ''), type: 'function', function: called })
      return undefined
    }
    case 'tool_result':
      return addResult(block, adding)
    // The emulator has no reasoning, but agents send back what they got elsewhere.
    case 'thinking':
    case 'redacted_thinking':
      return undefined
    default:
      return badField(`${at}.type`, BLOCK_TYPES, type ?? null)
  }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function imageOf({ type, url, media_type: mediaType = 'image/jpeg', data = '' }: Json): object {
  const address = type === 'url' ? url : `data:${String(mediaType)};base64,${String(data)}`
  return { type: 'image_url', image_url: { url: address } }
}

/** The result of a tool is a message of its own. Its images are a user message after it. */
function addResult(
  { tool_use_id: id, content = '' }: Json,
  { messages, at }: AddingBlock,
): BadField | undefined {
  if (typeof id !== 'string') return badField(`${at}.tool_use_id`, 'a text', id ?? null)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  if (!Array.isArray(blocks)) return badField(`${at}.content`, BLOCKS, content)
  const records = blocks.map((block) => Object(block) as Json)
  const texts = records.flatMap(({ type, text }) => (type === 'text' ? [textOr(text, '')] : []))
  messages.push({ role: 'tool', tool_call_id: id, content: texts.join('\n') })
  const images = records.flatMap(({ type, source }) => {
    return type === 'image' && isRecord(source) ? [imageOf(source)] : []
  })
  if (images.length > 0) messages.push({ role: 'user', content: images })
  return undefined
}

function readTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools
  const read: object[] = []
  for (const [index, tool] of tools.entries()) {
    const { name, description, input_schema: schema } = Object(tool) as Json
    if (typeof name !== 'string' || name === '') {
      return badField(`tools[${index}].name`, 'a name', name ?? null)
    }
    if (!isRecord(schema)) {
      return badField(`tools[${index}].input_schema`, 'a JSON Schema', schema ?? null)
    }
    const parameters = { type: 'object', ...schema }
    read.push({ type: 'function', function: { name, description, parameters } })
  }
  return read.length > 0 ? read : undefined
}

const CHOICES: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' }

function readToolChoice(choice: unknown): unknown {
  if ((choice ?? null) === null) return undefined
  const { type, name } = Object(choice) as Json
  if (type === 'tool') {
    if (typeof name === 'string' && name !== '') return { type: 'function', function: { name } }
    const message = "tool_choice.name is required when type is 'tool'"
    return BadField.worded('tool_choice', message)
  }
  const known = typeof type === 'string' && Object.hasOwn(CHOICES, type)
  return known
    ? CHOICES[type]
    : badField('tool_choice.type', 'auto, any, tool or none', type ?? null)
}

function readFormat(config: unknown): unknown {
  if ((config ?? null) === null) return undefined
  if (!isRecord(config)) return badField('output_config', 'an object', config)
  const format = config.format ?? null
  if (format === null) return undefined
  const { type, schema } = Object(format) as Json
  if (type === 'json_schema' && isRecord(schema)) {
    return { type, json_schema: { name: type, schema } }
  }
  const expected = '{ "type": "json_schema", "schema": … }'
  return badField('output_config.format', expected, format)
}

import { parsePythonJson } from '../../contract/pydantic/python-json.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'

/** A message as a chat template gets it. */
export type TemplateMessage = Record<string, unknown>

/**
 * Whether a template reads the content of messages part by part. Otherwise it gets one text. The server finds it out
 * in the same way, from the loops in the template.
 */
export function readsParts(template: string): boolean {
  return /\{%-?\s*for\s+\w+\s+in\s+\w+(?:\.content|\[\s*['"]content['"]\s*\])/.test(template)
}

/**
 * Makes the messages of a request what a template gets: content as text or as parts, the arguments of calls as values,
 * and nothing that the server leaves out. See docs/explain/contract.md#chat-templates.
 */
export function templateMessages(
  messages: readonly ChatMessage[],
  { asParts }: { asParts: boolean },
): TemplateMessage[] {
  return messages.map((message) => {
    const { role, name } = message
    const named = typeof name === 'string' ? { name } : {}
    if (role === 'assistant') return { role, ...answerFields(message, asParts), ...named }
    if (role === 'tool') {
      const { tool_call_id: id } = message
      // Most templates can only read texts of tools.
      const content = contentOf(message, false)
      return { role, content, ...(id !== undefined && { tool_call_id: id }), ...named }
    }
    return { role, content: contentOf(message, asParts), ...named }
  })
}

/** The fields of an answer. A refusal counts as its content, because the server has no refusals. */
function answerFields(message: ChatMessage, asParts: boolean): TemplateMessage {
  const { tool_calls: calls, reasoning } = message
  const { content, refusal } = message
  const written = content === null || content === undefined ? { content: refusal } : message
  const fields: TemplateMessage = { content: contentOf(written, asParts) }
  if (Array.isArray(calls) && calls.length > 0) fields['tool_calls'] = calls.map(readCall)
  if (reasoning !== undefined && reasoning !== null) {
    Object.assign(fields, { reasoning, reasoning_content: reasoning })
  }
  return fields
}

const TEXTS: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'refusal',
  'thinking',
])

type Part = { type: 'text'; text: string } | { type: string }

function contentOf({ content }: ChatMessage, asParts: boolean): string | Part[] {
  const parts = partsOf(content)
  if (asParts) return parts
  return parts.flatMap((part) => ('text' in part ? part.text : [])).join('\n')
}

function partsOf(content: unknown): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown): Part[] => {
    if (typeof part === 'string') return [{ type: 'text', text: part }]
    const { type } = Object(part) as { type?: unknown }
    if (TEXTS.has(type)) {
      const written = (part as Record<string, unknown>)[
        type === 'refusal' || type === 'thinking' ? type : 'text'
      ]
      return typeof written === 'string' ? [{ type: 'text', text: written }] : []
    }
    const [, modality = 'image'] = /(image|audio|video)/.exec(String(type)) ?? []
    return [{ type: modality }]
  })
}

/** Reads the arguments of a call. Text that is not JSON counts as none. */
function readCall(call: unknown): unknown {
  const { function: called } = Object(call) as { function?: unknown }
  if (typeof called !== 'object' || called === null) return call
  const { arguments: args } = called as { arguments?: unknown }
  return { ...(call as object), function: { ...called, arguments: valueOf(args) } }
}

function valueOf(args: unknown): unknown {
  if (typeof args === 'object' && args !== null) return args
  if (typeof args !== 'string') return {}
  const read = parsePythonJson(args)
  return read.kind === 'value' ? read.value : {}
}

/** Makes the tools of a request what a template gets: the known fields in their order, then all others. */
export function templateTools(tools: readonly unknown[]): unknown[] {
  return tools.map((tool) => {
    const { type = 'function', function: called, ...others } = Object(tool) as Fields
    const { name, description = null, parameters = null, ...rest } = Object(called) as Fields
    return { type, function: { name, description, parameters, ...rest }, ...others }
  })
}

type Fields = Readonly<Record<string, unknown>>

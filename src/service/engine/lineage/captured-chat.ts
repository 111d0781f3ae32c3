import { isRecord, recordsIn } from '../../contract/pydantic/record.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import { wires, type CapturedCall, type Evidence, type Wire } from '../jobs/trainable.js'

/** A captured HTTP call of any wire format, as the messages and the answers of a chat. */
export interface CapturedChat {
  /** The messages that were sent. Those before a `previous_response_id` are not among them. */
  readonly messages: readonly ChatMessage[]
  /** The id of the response that the call continues. */
  readonly continues?: string | undefined
  readonly id: string | undefined
  readonly answers: readonly CapturedAnswer[]
}

/** An answer in a captured call. */
export interface CapturedAnswer {
  readonly message: ChatMessage
  readonly index: number
  /** `length` if the token limit cut it off, on every wire. */
  readonly finishReason: string | undefined
  readonly evidence: Evidence
  /** The part of the response that has its token ids and log probabilities. */
  readonly choice: Json
  /** The ids of the tokens of its prompt, as they came. */
  readonly prompt: unknown
}

type Json = Readonly<Record<string, unknown>>
type Answers = (response: Json) => readonly Omit<CapturedAnswer, 'evidence'>[]

/** Reads a captured call as a chat, so that all wire formats are checked in the same way. */
export function readCapturedCall({ wire, request, response }: CapturedCall): CapturedChat {
  const evidence = wires[wire](response)
  const { id } = response
  const { previous_response_id: continues } = request
  return {
    messages: requests[wire](request),
    continues: typeof continues === 'string' ? continues : undefined,
    id: typeof id === 'string' ? id : undefined,
    answers: responses[wire](response).map((answer, index) => {
      return { ...answer, evidence: evidence[index]!.evidence }
    }),
  }
}

const requests: Readonly<Record<Wire, (request: Json) => readonly ChatMessage[]>> = {
  chat_completions: ({ messages }) => recordsIn(messages),
  completions: ({ prompt }) => [{ role: 'user', content: textIn(prompt) }],
  responses: ({ instructions, input }) => [
    ...systemIn(instructions),
    ...(typeof input === 'string'
      ? [{ role: 'user', content: input }]
      : itemMessages(recordsIn(input))),
  ],
  messages: ({ system, messages }) => [
    ...systemIn(system),
    ...recordsIn(messages).flatMap(({ role, content }) => blockMessages(String(role), content)),
  ],
}

/** The answers of each wire format, in the order of `wires`. */
const responses: Readonly<Record<Wire, Answers>> = {
  chat_completions: (response) =>
    recordsIn(response['choices']).flatMap((choice) => {
      const { message } = choice
      return isRecord(message) ? { message, ...choiceFacts(choice, response) } : []
    }),
  completions: (response) =>
    recordsIn(response['choices']).flatMap((choice) => {
      const { text } = choice
      if (typeof text !== 'string') return []
      return { message: assistant(text), ...choiceFacts(choice, response) }
    }),
  responses(response) {
    const { output, status, incomplete_details: details } = response
    const generations = recordsIn(response['token_generations'])
    const items = recordsIn(output)
    if (items.length === 0 && generations.length === 0) return []
    const isCut = isRecord(details) && details['reason'] === 'max_output_tokens'
    // The tokens of several generations have prompts of tools between them.
    const [choice = NOTHING] = generations.length === 1 ? generations : []
    return [
      {
        message: mergedAnswer(itemMessages(items)),
        index: 0,
        finishReason: isCut ? 'length' : textOrNone(status),
        choice,
        prompt: choice['prompt_token_ids'],
      },
    ]
  },
  messages(response) {
    const { content, stop_reason: reason } = response
    if (!Array.isArray(content)) return []
    return [
      {
        message: mergedAnswer(blockMessages('assistant', content)),
        index: 0,
        finishReason: reason === 'max_tokens' ? 'length' : textOrNone(reason),
        choice: response,
        prompt: response['prompt_token_ids'],
      },
    ]
  },
}

const NOTHING: Json = {}

function choiceFacts(choice: Json, response: Json): Omit<CapturedAnswer, 'message' | 'evidence'> {
  const { index, finish_reason, prompt_token_ids } = choice
  return {
    index: typeof index === 'number' ? index : 0,
    finishReason: textOrNone(finish_reason),
    choice,
    prompt: prompt_token_ids ?? response['prompt_token_ids'],
  }
}

/** Reads the items of the Responses API: messages, calls of functions and their results. */
function itemMessages(items: readonly Json[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  for (const { type, role, content, call_id: id, name, arguments: args, output } of items) {
    if (type === 'function_call') {
      const last = messages.at(-1)?.['role'] === 'assistant' ? messages.pop()! : assistant('')
      const calls = [...recordsIn(last['tool_calls']), toolCall(id, name, args)]
      messages.push({ ...last, tool_calls: calls })
    } else if (type === 'function_call_output') {
      messages.push({ role: 'tool', tool_call_id: id, content: textIn(output) })
    } else if (typeof role === 'string') messages.push({ role, content })
  }
  return messages
}

/** Reads the blocks of a message of the Messages API: texts, uses of tools and their results. */
function blockMessages(role: string, content: unknown): ChatMessage[] {
  if (!Array.isArray(content)) return [{ role, content }]
  const blocks = recordsIn(content)
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const uses = blocks.filter(({ type }) => type === 'tool_use')
  const texts = blocks.filter((block) => typeof block['text'] === 'string')
  const calls = uses.map(({ id, name, input }) => toolCall(id, name, JSON.stringify(input ?? {})))
  return [
    ...results.map(({ tool_use_id: id, content: result }) => {
      return { role: 'tool', tool_call_id: id, content: result }
    }),
    ...(results.length > 0 && texts.length + uses.length === 0
      ? []
      : [{ role, content: texts, ...(calls.length > 0 && { tool_calls: calls }) }]),
  ]
}

/** The answer in several items, as one message. */
function mergedAnswer(messages: readonly ChatMessage[]): ChatMessage {
  const said = messages.filter(({ role }) => role === 'assistant')
  const calls = said.flatMap(({ tool_calls: each }) => recordsIn(each))
  const content = said.flatMap(({ content: each }) => {
    return typeof each === 'string' ? { text: each } : recordsIn(each)
  })
  const texts = content.filter(({ text }) => text !== '')
  return { role: 'assistant', content: texts, ...(calls.length > 0 && { tool_calls: calls }) }
}

function assistant(content: string): ChatMessage {
  return { role: 'assistant', content }
}

function toolCall(id: unknown, name: unknown, args: unknown): Json {
  return { id, type: 'function', function: { name, arguments: args } }
}

function systemIn(text: unknown): ChatMessage[] {
  return text === undefined || text === null ? [] : [{ role: 'system', content: text }]
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

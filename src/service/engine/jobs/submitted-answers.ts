import { textOrNone } from '../../../base/text/value-at.js'
import {
  chatChoice,
  compactLogprobs,
  evidenceOf,
  generation,
  numbersIn,
  sumOf,
  type Evidence,
} from './evidence.js'
import { functionOf } from '../chat/tool-function.js'
import { isRecord, recordsIn } from '../../contract/pydantic/record.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'

/** An answer in a captured call. */
export interface CapturedAnswer {
  readonly index: number
  /** `length` if the token limit cut it off, on every wire. */
  readonly finishReason: string | undefined
  readonly evidence: Evidence
  /** The part of the response that has its token ids and log probabilities. */
  readonly choice: Json
  /** The ids of the tokens of its prompt, as they came. */
  readonly prompt: unknown
  /** Returns it as a message of a chat. */
  readonly message: () => ChatMessage
}

/** Reads the calls of a wire format, so that all formats are checked in the same way. */
interface WireFormat {
  /** The messages that were sent. Those before a `previous_response_id` are not among them. */
  readonly messages: (request: Json) => readonly ChatMessage[]
  readonly answers: (response: Json) => readonly CapturedAnswer[]
}

/** A captured HTTP call of a wire format that is known. */
export interface CapturedCall {
  readonly format: WireFormat
  /** Its place among the calls of its wire. */
  readonly index: number
  readonly request: Json
  readonly response: Json
}

/** Finds the captured calls in the `exchanges` of a trajectory that have a response. */
export function capturedCalls(captured: Readonly<Record<string, unknown>>): CapturedCall[] {
  return Object.entries(wires).flatMap(([wire, format]) => {
    const items = Object.hasOwn(captured, wire) ? captured[wire] : undefined
    if (!Array.isArray(items)) return []
    return (items as readonly unknown[]).flatMap((item, index) => {
      const { request, response } = isRecord(item) ? item : NOTHING
      if (!isRecord(response)) return []
      return { format, index, request: isRecord(request) ? request : NOTHING, response }
    })
  })
}

const wires: Readonly<Record<string, WireFormat>> = {
  chat_completions: {
    messages: ({ messages }) => recordsIn(messages),
    answers: (response) =>
      recordsIn(response['choices']).flatMap((choice) => {
        const { message } = choice
        return isRecord(message) ? answerIn(choice, response, message) : []
      }),
  },
  completions: {
    messages: ({ prompt }) => [{ role: 'user', content: textIn(prompt) }],
    answers: (response) =>
      recordsIn(response['choices']).flatMap((choice) => {
        const { text, logprobs } = choice
        if (typeof text !== 'string') return []
        const { token_logprobs } = isRecord(logprobs) ? logprobs : NOTHING
        const evidence = evidenceOf(choice, compactLogprobs(choice) || numbersIn(token_logprobs))
        return { ...answerIn(choice, response, assistant(text)), evidence }
      }),
  },
  responses: {
    messages: ({ instructions, input }) => [
      ...systemIn(instructions),
      ...(typeof input === 'string'
        ? [{ role: 'user', content: input }]
        : itemMessages(recordsIn(input))),
    ],
    answers({ output, token_generations, status, incomplete_details: details }) {
      const generations = recordsIn(token_generations)
      const items = recordsIn(output)
      if (items.length === 0 && generations.length === 0) return []
      const isCut = isRecord(details) && details['reason'] === 'max_output_tokens'
      // The tokens of several generations have prompts of tools between them.
      const [choice = NOTHING] = generations.length === 1 ? generations : []
      return [
        {
          index: 0,
          finishReason: isCut ? 'length' : textOrNone(status),
          evidence: sumOf(generations.map(generation)),
          choice,
          prompt: choice['prompt_token_ids'],
          message: () => mergedAnswer(itemMessages(items)),
        },
      ]
    },
  },
  messages: {
    messages: ({ system, messages }) => [
      ...systemIn(system),
      ...recordsIn(messages).flatMap(({ role, content }) => blockMessages(String(role), content)),
    ],
    answers(response) {
      const { content, logprobs, stop_reason: reason } = response
      if (!Array.isArray(content)) return []
      return [
        {
          index: 0,
          finishReason: reason === 'max_tokens' ? 'length' : textOrNone(reason),
          evidence: evidenceOf(response, compactLogprobs(response) || numbersIn(logprobs)),
          choice: response,
          prompt: response['prompt_token_ids'],
          message: () => mergedAnswer(blockMessages('assistant', content)),
        },
      ]
    },
  },
}

type Json = Readonly<Record<string, unknown>>
const NOTHING: Json = {}

function answerIn(choice: Json, response: Json, message: ChatMessage): CapturedAnswer {
  const { index, finish_reason, prompt_token_ids } = choice
  return {
    index: typeof index === 'number' ? index : 0,
    finishReason: textOrNone(finish_reason),
    evidence: chatChoice(choice),
    choice,
    prompt: prompt_token_ids ?? response['prompt_token_ids'],
    message: () => message,
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
    else if (type === 'message') messages.push({ role: 'assistant', content })
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

/** Returns the number of characters of an assistant message: its text, its refusal, and the calls of tools in it. */
export function messageLength({ content, refusal, tool_calls }: Json): number {
  let length = textLength(content) + textLength(refusal)
  for (const call of recordsIn(tool_calls)) {
    const { name, arguments: args } = functionOf(call)
    length += textLength(name) + textLength(args)
  }
  return length
}

/** Returns the number of characters of a text, or of a list of parts with texts. */
function textLength(content: unknown): number {
  if (typeof content === 'string') return content.length
  if (!Array.isArray(content)) return 0
  let length = 0
  for (const part of recordsIn(content))
    if (typeof part['text'] === 'string') length += part['text'].length
  return length
}

import { ApiError } from '../contract/errors.js'
import { isRecord } from '../contract/pydantic/record.js'
import { textOf, tokensOf, type Answer, type Part } from '../engine/chat/answer.js'
import { BadField, type ChatParams } from '../engine/chat/chat-params.js'
import type { Completion } from '../engine/chat/completion.js'
import { promptTokens } from '../engine/chat/prompt.js'
import { answerChat, readChat } from './chat.js'
import { tokenLogprobs } from './completion.js'
import { readMessagesRequest, type MessagesBody } from './messages-request.js'
import type { Call, Result } from './operation.js'
import { idOf, namedEvent, refuseByNames, type WireNames } from './wire-body.js'
import type { Wire } from './wire.js'

type MessagesCall = Call<unknown, unknown, MessagesBody>

/** Answers a request for a message. */
export function answerMessage({
  engine,
  account,
  body,
  entry,
  request,
}: MessagesCall): Result | Promise<Result> {
  const chat = readMessagesRequest(body)
  if (chat instanceof BadField) return refuse(chat)
  return answerChat({ engine, account, entry, request, body: chat }, wire)
}

/** Counts the tokens of a prompt. This is not a chat: no limit counts it. */
export async function countTokens(call: MessagesCall): Promise<Result> {
  const { engine, account, body, entry, request } = call
  const chat = readMessagesRequest(body)
  if (chat instanceof BadField) return refuse(chat)
  const read = await readChat({ engine, account, entry, request, body: chat }, wire)
  if (read instanceof ApiError) return read
  const input_tokens = promptTokens(read.params, await engine.chat.tokenizer())
  return { input_tokens, context_management: { original_input_tokens: input_tokens } }
}

/** The names that fields of a chat have on this wire. */
const NAMES: WireNames = [
  [/^(tools(?:\[\d+\]|\.\d+))\.function\.parameters\b/, '$1.input_schema'],
  [/^(tools(?:\[\d+\]|\.\d+))\.function\b/, '$1'],
  [/^response_format\.json_schema\b/, 'output_config.format'],
  [/^response_format\b/, 'output_config.format'],
  [/^max_completion_tokens\b/, 'max_tokens'],
  [/^stop\b/, 'stop_sequences'],
]

const refuse = refuseByNames(NAMES)

const wire: Wire = { refuse, write, stream }

/** The message in one piece. */
function write(completion: Completion, params: ChatParams): object {
  const { answer } = completion.answers[0]!
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = completion.usage
  return {
    ...headOf(completion),
    content: shownParts(answer).map(blockOf),
    ...endOf(answer),
    usage: { input_tokens, output_tokens },
    ...promptIdsOf(completion),
    ...tokensIn(completion, params),
  }
}

/** The message as events. Each list has the events of one moment: the next token. */
function* stream(completion: Completion, params: ChatParams): Generator<string[]> {
  const { answer } = completion.answers[0]!
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = completion.usage
  const message = {
    ...headOf(completion),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens, output_tokens: 0 },
    ...promptIdsOf(completion),
  }
  let events = [namedEvent('message_start', { message }), namedEvent('ping')]
  let isFirst = true
  for (const [index, part] of shownParts(answer).entries()) {
    const isCall = part.kind === 'tool_call'
    const content_block = isCall ? { ...blockOf(part), input: {} } : { type: 'text', text: '' }
    const waiting = isCall ? part.name.tokens : []
    const tokens = [...waiting, ...part.tokens]
    const opening = namedEvent('content_block_start', { index, content_block })
    if (tokens.length === 0) events.push(opening)
    for (const [place, token] of tokens.entries()) {
      if (!isFirst) {
        yield events
        events = []
      }
      isFirst = false
      if (place === 0) events.push(opening)
      // The start of a block brings the whole name of its tool.
      if (place < waiting.length) continue
      const { text } = token
      const delta = isCall
        ? { type: 'input_json_delta', partial_json: text }
        : { type: 'text_delta', text }
      events.push(namedEvent('content_block_delta', { index, delta }))
    }
    events.push(namedEvent('content_block_stop', { index }))
  }
  const usage = { input_tokens, output_tokens }
  const ending = { delta: endOf(answer), usage, ...tokensIn(completion, params) }
  yield [...events, namedEvent('message_delta', ending), namedEvent('message_stop')]
}

function headOf({ id, model }: Completion): object {
  return { id: `msg_${idOf(id)}`, type: 'message', role: 'assistant', model }
}

/** Parts without a token have no block. */
function shownParts({ parts }: Answer): Part[] {
  return parts.filter((part) => part.kind === 'tool_call' || part.tokens.length > 0)
}

function blockOf(part: Part): object {
  const text = textOf(part.tokens)
  if (part.kind !== 'tool_call') return { type: 'text', text }
  return { type: 'tool_use', id: part.id, name: part.name.text, input: inputOf(text) }
}

/** Arguments that are not an object, or are cut off, cannot be written: see docs/contract.md#extension-wires. */
function inputOf(args: string): object {
  try {
    const input: unknown = JSON.parse(args)
    return isRecord(input) ? input : {}
  } catch {
    return {}
  }
}

function endOf(answer: Answer): { stop_reason: string; stop_sequence: string | null } {
  return { stop_reason: stopReasonOf(answer), stop_sequence: answer.stopReason }
}

function stopReasonOf({ parts, finishReason, stopReason }: Answer): string {
  if (finishReason === 'length') return 'max_tokens'
  if (finishReason === 'content_filter') return 'refusal'
  if (parts.some(({ kind }) => kind === 'tool_call')) return 'tool_use'
  return stopReason === null ? 'end_turn' : 'stop_sequence'
}

function promptIdsOf({ promptTokenIds }: Completion): object | undefined {
  return promptTokenIds && { prompt_token_ids: promptTokenIds }
}

/** The ids and log probabilities of the tokens, if they are asked for. Trainers read them. */
function tokensIn(completion: Completion, params: ChatParams): object {
  const [drawn] = completion.answers as [Completion['answers'][number]]
  const logprobs = tokenLogprobs(drawn, completion, params)
  return {
    ...(params.returnsTokenIds && { token_ids: tokensOf(drawn.answer).map(({ id }) => id) }),
    ...(logprobs && { logprobs: logprobs.map(({ logprob }) => logprob) }),
  }
}

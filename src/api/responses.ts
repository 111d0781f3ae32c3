import { ApiError } from '../contract/errors.js'
import { isRecord } from '../contract/pydantic/record.js'
import { textOf, tokensOf, type Answer, type Part } from '../engine/chat/answer.js'
import { BadField, type ChatParams } from '../engine/chat/chat-params.js'
import type { Completion, Usage } from '../engine/chat/completion.js'
import { logprobsOf, type TokenLogprob } from '../engine/chat/logprobs.js'
import { answerChat } from './chat.js'
import type { Call, Result } from './operation.js'
import { readResponsesRequest, type ResponsesBody } from './responses-request.js'
import { idOf, namedEvent, refuseByNames, wasCut, type WireNames } from './wire-body.js'
import type { Wire } from './wire.js'

/** Answers a request for a response. */
export function answerResponse({
  engine,
  account,
  body,
  entry,
  request,
}: Call<unknown, unknown, ResponsesBody>): Result | Promise<Result> {
  const chat = readResponsesRequest(body)
  if (chat instanceof BadField) return refuse(chat)
  if (chat instanceof ApiError) return chat
  const wire: Wire = {
    refuse,
    write: (completion, params) => new Response(completion, params, body).whole(),
    stream: (completion, params) => new Response(completion, params, body).events(),
  }
  return answerChat({ engine, account, entry, request, body: chat }, wire)
}

/** The names that fields of a chat have on this wire. */
const NAMES: WireNames = [
  [/^messages\b/, 'input'],
  [/^max_(?:completion_)?tokens\b/, 'max_output_tokens'],
  [/^response_format\.json_schema\b/, 'text.format'],
  [/^response_format\b/, 'text.format'],
  [/^(tools(?:\[\d+\]|\.\d+))\.function\b/, '$1'],
]

const refuse = refuseByNames(NAMES)

/** An item of the output, and where its tokens are among those of the answer. */
interface Item {
  id: string
  parts: readonly Placed[]
}

/** A part of the answer. `from` is the place of its first token. */
interface Placed {
  part: Part
  from: number
}

type Tokens = Part['tokens']

class Response {
  readonly #completion: Completion
  readonly #params: ChatParams
  readonly #request: ResponsesBody
  readonly #answer: Answer
  readonly #items: readonly Item[]
  readonly #logprobs: readonly TokenLogprob[]
  #sequence = 0

  constructor(completion: Completion, params: ChatParams, request: ResponsesBody) {
    const [{ answer, draws }] = completion.answers as [Completion['answers'][number]]
    this.#completion = completion
    this.#params = params
    this.#request = request
    this.#answer = answer
    this.#items = itemsOf(answer, idOf(completion.id))
    const { topLogprobs: top, namesTokensById: byId } = params
    const { alternatives } = completion
    const isAsked = params.returnsTokenIds || this.#includesLogprobs
    this.#logprobs = isAsked ? logprobsOf(tokensOf(answer), { draws, top, byId, alternatives }) : []
  }

  /** The response in one piece. */
  whole(): object {
    const reason = INCOMPLETE[this.#answer.finishReason]
    return {
      ...this.#head(reason === undefined ? 'completed' : 'incomplete'),
      incomplete_details: reason === undefined ? null : { reason },
      output: this.#items.map((item) => this.#itemOf(item)),
      usage: usageOf(this.#completion.usage),
      ...this.#generations(),
    }
  }

  /** The response as events. Each list has the events of one moment: the next token. */
  *events(): Generator<string[]> {
    const opening = {
      ...this.#head('in_progress'),
      incomplete_details: null,
      output: [],
      usage: null,
    }
    let events = [
      this.#event('response.created', { response: opening }),
      this.#event('response.in_progress', { response: opening }),
    ]
    let isFirst = true
    for (const [index, item] of this.#items.entries()) {
      for (const moment of this.#itemEvents(item, index)) {
        if (moment === NEXT_TOKEN) {
          if (!isFirst) yield events
          if (!isFirst) events = []
          isFirst = false
        } else events.push(moment)
      }
    }
    events.push(this.#event('response.completed', { response: this.whole() }))
    yield events
  }

  *#itemEvents(item: Item, output_index: number): Generator<string | typeof NEXT_TOKEN> {
    const place = { output_index }
    const opened = { ...this.#itemOf(item), status: 'in_progress' }
    const call = callIn(item)
    if (call) {
      const own = { ...place, item_id: item.id }
      const started = { ...place, item: { ...opened, arguments: '' } }
      yield* this.#tokenEvents(call.name.tokens, (_token, index) => {
        return index === 0 ? [this.#event('response.output_item.added', started)] : []
      })
      if (call.name.tokens.length === 0) yield this.#event('response.output_item.added', started)
      yield* this.#tokenEvents(call.tokens, ({ text: delta }) => [
        this.#event('response.function_call_arguments.delta', { ...own, delta }),
      ])
      const finished = { ...own, name: call.name.text, arguments: textOf(call.tokens) }
      yield this.#event('response.function_call_arguments.done', finished)
    } else {
      const started = { ...place, item: { ...opened, content: [] } }
      yield this.#event('response.output_item.added', started)
      for (const [content_index, placed] of item.parts.entries()) {
        yield* this.#partEvents(placed, { ...place, item_id: item.id, content_index })
      }
    }
    yield this.#event('response.output_item.done', { ...place, item: this.#itemOf(item) })
  }

  *#partEvents(placed: Placed, own: object): Generator<string | typeof NEXT_TOKEN> {
    const { part, from } = placed
    const isRefusal = part.kind === 'refusal'
    const kind = isRefusal ? 'refusal' : 'output_text'
    const written = this.#partOf(placed)
    const empty = isRefusal ? { refusal: '' } : { text: '', logprobs: [] }
    yield this.#event('response.content_part.added', { ...own, part: { ...written, ...empty } })
    yield* this.#tokenEvents(part.tokens, ({ text: delta }, index) => {
      const logprobs = isRefusal ? undefined : this.#logprobsIn(from + index, 1)
      return [this.#event(`response.${kind}.delta`, { ...own, delta, logprobs })]
    })
    const whole = textOf(part.tokens)
    const text = isRefusal
      ? { refusal: whole }
      : { text: whole, logprobs: this.#logprobsIn(from, part.tokens.length) }
    yield this.#event(`response.${kind}.done`, { ...own, ...text })
    yield this.#event('response.content_part.done', { ...own, part: written })
  }

  *#tokenEvents(
    tokens: Tokens,
    eventsOf: (token: Tokens[number], index: number) => string[],
  ): Generator<string | typeof NEXT_TOKEN> {
    for (const [index, token] of tokens.entries()) {
      yield NEXT_TOKEN
      yield* eventsOf(token, index)
    }
  }

  #event(type: string, data: object): string {
    return namedEvent(type, { ...data, sequence_number: this.#sequence++ })
  }

  /** What is known before the answer, with what the request says. */
  #head(status: 'in_progress' | 'completed' | 'incomplete'): object {
    const { id, created, model } = this.#completion
    const { temperature, topLogprobs, tools } = this.#params
    const {
      instructions = null,
      max_output_tokens = null,
      metadata,
      reasoning,
      text,
    } = this.#request
    const { parallel_tool_calls: parallel, top_p = 1, truncation, user } = this.#request
    const { tool_choice: choice } = this.#request
    return {
      id: `resp_${idOf(id)}`,
      object: 'response',
      created_at: created,
      model,
      status,
      error: null,
      instructions,
      metadata: isRecord(metadata) ? metadata : null,
      parallel_tool_calls: parallel !== false,
      temperature,
      // The server writes "auto" even if there are no tools.
      tool_choice: choice ?? 'auto',
      tools: tools.length > 0 ? this.#request.tools : [],
      top_p: top_p ?? 1,
      background: false,
      max_output_tokens,
      max_tool_calls: null,
      previous_response_id: null,
      prompt: null,
      reasoning: isRecord(reasoning) ? reasoning : null,
      service_tier: 'auto',
      text: isRecord(text) ? text : null,
      top_logprobs: topLogprobs,
      truncation: truncation === 'auto' ? 'auto' : 'disabled',
      user: typeof user === 'string' ? user : null,
    }
  }

  #itemOf(item: Item): object {
    const isLast = item === this.#items.at(-1)
    const status = isLast && wasCut(this.#answer.finishReason) ? 'incomplete' : 'completed'
    const call = callIn(item)
    if (call) {
      const { id: call_id, name, tokens } = call
      const called = { call_id, name: name.text, arguments: textOf(tokens) }
      return { id: item.id, type: 'function_call', ...called, status }
    }
    const content = item.parts.map((placed) => this.#partOf(placed))
    return { id: item.id, type: 'message', role: 'assistant', content, status }
  }

  #partOf({ part: { kind, tokens }, from }: Placed): object {
    const text = textOf(tokens)
    if (kind === 'refusal') return { type: 'refusal', refusal: text }
    const logprobs = this.#logprobsIn(from, tokens.length)
    return { type: 'output_text', text, annotations: [], logprobs }
  }

  get #includesLogprobs(): boolean {
    const { include } = this.#request
    return Array.isArray(include) && include.includes('message.output_text.logprobs')
  }

  #logprobsIn(from: number, count: number): readonly TokenLogprob[] {
    return this.#includesLogprobs ? this.#logprobs.slice(from, from + count) : []
  }

  /** The ids and log probabilities of all tokens, if they are asked for. Trainers read them. */
  #generations(): object | undefined {
    const { promptTokenIds } = this.#completion
    if (!promptTokenIds) return undefined
    const output_tokens = tokensOf(this.#answer).map(({ id, text }, index) => {
      return { token_id: id, logprob: this.#logprobs[index]!.logprob, text }
    })
    const output_indices = this.#items.map((_item, index) => index)
    return {
      token_generations: [{ prompt_token_ids: promptTokenIds, output_indices, output_tokens }],
    }
  }
}

/** Stands between the events of two tokens. */
const NEXT_TOKEN = Symbol('next token')

const INCOMPLETE: Readonly<Partial<Record<Answer['finishReason'], string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** One item for each tool call, and one for the texts before and after it. */
function itemsOf({ parts }: Answer, id: string): Item[] {
  const items: { id: string; parts: Placed[] }[] = []
  let from = 0
  for (const part of parts) {
    const last = items.at(-1)
    const isCall = part.kind === 'tool_call'
    const placed = { part, from }
    from += part.tokens.length + (isCall ? part.name.tokens.length : 0)
    if (!isCall && last && !callIn(last)) last.parts.push(placed)
    else items.push({ id: `${isCall ? 'fc' : 'msg'}_${id}${items.length}`, parts: [placed] })
  }
  return items
}

function callIn({ parts }: Item): Extract<Part, { kind: 'tool_call' }> | undefined {
  const [first] = parts
  return first?.part.kind === 'tool_call' ? first.part : undefined
}

function usageOf({ prompt_tokens, completion_tokens, total_tokens }: Usage): object {
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens,
  }
}

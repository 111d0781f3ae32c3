import { ApiError } from '../contract/errors.js'
import { textOf, tokensOf, visibleTokens, type Answer } from '../engine/chat/answer.js'
import type { Chat, Completed } from '../engine/chat/chat.js'
import { badField, BadField, type ChatParams } from '../engine/chat/chat-params.js'
import type { Completion, Drawn, Usage } from '../engine/chat/completion.js'
import { logprobsOf, type TokenLogprob } from '../engine/chat/logprobs.js'
import type { ChatRequest } from '../engine/chat/request.js'
import type { Token } from '../engine/chat/token.js'
import { answerChat } from './chat.js'
import type { Call, Result } from './operation.js'
import { COMMON_FIELDS, idOf, refuseField, sameFields } from './wire-body.js'
import type { ChatBody, Wire } from './wire.js'

type Body = Readonly<Record<string, unknown>> & { readonly model: string }

/** Answers a completion. Each prompt is the only user message of a chat. */
export function answerCompletion({
  engine,
  account,
  body,
  entry,
  request,
}: Call<unknown, unknown, Body>): Result | Promise<Result> {
  const asked = readCompletion(body)
  if (asked instanceof BadField) return refuseField(asked)
  if (asked instanceof ApiError) return asked
  const wire = new CompletionsWire(asked)
  return answerChat({ engine, account, entry, request, body: asked.chat }, wire)
}

/** Text, or token ids. */
type Prompt = string | readonly number[]

interface Asked {
  chat: ChatBody
  prompts: readonly Prompt[]
  echo: boolean
  /** The number of alternatives for each token. Undefined without log probabilities. */
  logprobs: number | undefined
  /** Whether the answer is the prompt alone. */
  onlyEchoes: boolean
}

/** A request without a limit gets as many tokens: see docs/contract.md#extension-wires. */
const USUAL_TOKENS = 16
const MOST_PROMPTS = 1024
const MOST_LOGPROBS = 20

/** Reads what only completions have. The rest is read as in a chat. */
function readCompletion(body: Body): Asked | BadField | ApiError {
  const prompts = readPrompts(body.prompt)
  if (!Array.isArray(prompts)) return prompts
  const echo = body.echo ?? false
  if (typeof echo !== 'boolean') return badField('echo', 'true or false', echo)
  const logprobs = readLogprobs(body.logprobs)
  if (logprobs instanceof BadField) return logprobs
  // The server refuses it, too: see docs/contract.md#extension-wires.
  if ((body.suffix ?? null) !== null) return refusal('suffix is not currently supported')
  const asksForNone = body.max_tokens === 0
  if (asksForNone && !echo) {
    return BadField.worded('max_tokens', 'max_tokens must be at least 1, got 0.')
  }
  const shared = sameFields(body, [...COMMON_FIELDS, 'n', 'stop', 'stream_options'])
  const chat: ChatBody = {
    ...shared,
    ...sameFields(body, ['response_format']),
    max_tokens: asksForNone ? 1 : (body.max_tokens ?? USUAL_TOKENS),
    model: body.model,
    // Every prompt has its own message later, when the tokenizer is loaded.
    messages: [{ role: 'user', content: '' }],
  }
  return { chat, prompts, echo, logprobs, onlyEchoes: asksForNone }
}

function refusal(message: string): ApiError {
  return new ApiError(400, message, { envelope: true })
}

const PROMPTS = 'a text, a list of texts, a list of token ids, or a list of lists of token ids'

function readPrompts(prompt: unknown): Prompt[] | BadField | ApiError {
  if ((prompt ?? '') === '') {
    const message = 'Either prompt or prompt_embeds must be provided and non-empty.'
    return BadField.worded('prompt', message)
  }
  if (typeof prompt === 'string') return [prompt]
  if (!Array.isArray(prompt)) return badField('prompt', PROMPTS, prompt)
  if (prompt.length === 0) return refusal('please provide at least one prompt')
  if (isTokenIds(prompt)) return [prompt]
  if (prompt.length > MOST_PROMPTS) {
    const message = `prompt list length ${prompt.length} exceeds the maximum allowed count of ${MOST_PROMPTS}.`
    return BadField.worded('prompt', message)
  }
  const areTexts = prompt.every((each) => typeof each === 'string')
  return areTexts || prompt.every(isTokenIds) ? prompt : badField('prompt', PROMPTS, prompt)
}

function isTokenIds(value: unknown): value is number[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id) && id >= 0)
  )
}

function readLogprobs(asked: unknown): number | undefined | BadField {
  const count = asked ?? undefined
  if (count === undefined) return undefined
  if (!Number.isInteger(count)) {
    return BadField.worded('logprobs', '`logprobs` must be an integer.')
  }
  const most = Number(count)
  if (most < 0) return BadField.worded('logprobs', '`logprobs` must be a positive value or -1.')
  if (most <= MOST_LOGPROBS) return most
  const message = `Requested sample logprobs of ${most}, which is greater than max allowed: ${MOST_LOGPROBS}`
  return BadField.worded('logprobs', message)
}

/** A prompt, with what was answered to it. */
interface Answered {
  text: string
  tokens: readonly Token[]
  completion: Completion
}

/** A choice of the response. */
interface Choice {
  index: number
  drawn: Drawn
  from: Answered
}

class CompletionsWire implements Wire {
  readonly refuse = refuseField
  readonly #asked: Asked
  #choices: readonly Choice[] = []

  constructor(asked: Asked) {
    this.#asked = asked
  }

  /** Answers one chat for each prompt, in order, so that the same seed gives the same answers. */
  async complete(chat: Chat, request: ChatRequest): Promise<Completed> {
    const tokenizer = await chat.tokenizer()
    const all: Answered[] = []
    for (const prompt of this.#asked.prompts) {
      const given = typeof prompt === 'string' ? undefined : tokenizer.read(prompt)
      if (typeof given === 'number') return outOfVocabulary(given)
      const text = typeof prompt === 'string' ? prompt : textOf(given!)
      const messages = [{ role: 'user', content: text }]
      const params = { ...request.params, messages, prompt }
      const completed = await chat.complete({ ...request, params })
      if (completed instanceof BadField || 'error' in completed) return completed
      const tokens = given ?? (this.#echoesLogprobs ? tokenizer.split(text) : [])
      const { onlyEchoes } = this.#asked
      all.push({ text, tokens, completion: onlyEchoes ? withoutAnswers(completed) : completed })
    }
    this.#choices = all
      .flatMap((from) => from.completion.answers.map((drawn) => ({ drawn, from })))
      .map((choice, index) => ({ ...choice, index }))
    const usage = all.reduce((sum, { completion }) => add(sum, completion.usage), NO_USAGE)
    const answers = this.#choices.map(({ drawn }) => drawn)
    return { ...all[0]!.completion, answers, usage }
  }

  write(completion: Completion, params: ChatParams): object {
    const { created, model, usage } = completion
    return {
      id: `cmpl-${idOf(completion.id)}`,
      object: 'text_completion',
      created,
      model,
      choices: this.#choices.map((choice) => {
        const { index, drawn, from } = choice
        const { answer } = drawn
        return {
          index,
          text: this.#echoOf(choice, params) + textOf(visibleTokens(answer)),
          logprobs: this.#logprobsOf(choice, params)?.part() ?? null,
          finish_reason: finishReasonOf(answer),
          stop_reason: answer.stopReason,
          prompt_logprobs: null,
          prompt_token_ids: from.completion.promptTokenIds ?? null,
          token_ids: params.returnsTokenIds ? tokensOf(answer).map(({ id }) => id) : null,
        }
      }),
      service_tier: null,
      system_fingerprint: null,
      usage,
      kv_transfer_params: null,
    }
  }

  /** One chunk for each token of each choice, then how each choice ended, then the usage. */
  *stream(completion: Completion, params: ChatParams): Generator<string[]> {
    const { created, model, usage } = completion
    const id = `cmpl-${idOf(completion.id)}`
    const options = Object(params.body.stream_options) as Record<string, unknown>
    const includesUsage = options.include_usage === true
    const tracks = this.#choices.map((choice) => this.#trackOf(choice, params))
    const chunk = (choices: readonly object[], counted?: Usage): string => {
      const body = { id, object: 'text_completion', created, model, choices, usage: counted }
      return `data: ${JSON.stringify(body)}\n\n`
    }
    const continuous = includesUsage && options.continuous_usage_stats === true
    const places = Math.max(1, ...tracks.map(({ deltas }) => deltas.length - 1))
    for (let place = 0; place < places; place++) {
      const isLast = place === places - 1
      const chunks = tracks.flatMap(({ deltas, usageAt }) => {
        const end = deltas.length - 1
        const now = place < end ? [place] : []
        return [...now, ...(isLast ? [end] : [])].map((at) => {
          return chunk([deltas[at]!], continuous ? usageAt(at) : undefined)
        })
      })
      if (isLast && includesUsage) chunks.push(chunk([], usage))
      if (isLast) chunks.push('data: [DONE]\n\n')
      yield chunks
    }
  }

  /** The choices of its chunks: one for each visible token, and the last one for its end. */
  #trackOf(choice: Choice, params: ChatParams) {
    const { index, drawn, from } = choice
    const { answer } = drawn
    const { promptTokenIds, usage } = from.completion
    const echo = this.#echoOf(choice, params)
    const logprobs = this.#logprobsOf(choice, params)
    const visible = visibleTokens(answer)
    const pieces = [...visible.map((token) => [token]), answer.hidden]
    const deltas = pieces.map((tokens, place) => {
      const isEnd = place === visible.length
      const isFirst = place === 0
      return {
        index,
        text: (isFirst ? echo : '') + (isEnd ? '' : tokens[0]!.text),
        logprobs: logprobs?.part(place, place + tokens.length) ?? null,
        finish_reason: isEnd ? finishReasonOf(answer) : null,
        stop_reason: isEnd ? answer.stopReason : null,
        ...(isFirst && promptTokenIds && { prompt_token_ids: promptTokenIds }),
        ...(params.returnsTokenIds && { token_ids: tokens.map(({ id }) => id) }),
      }
    })
    const usageAt = (place: number): Usage => {
      const { prompt_tokens } = usage
      const isEnd = place === visible.length
      const completion_tokens = isEnd ? place + answer.hidden.length : place + 1
      return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
    return { deltas, usageAt }
  }

  /** The server leaves the text of the prompt out if the token ids are asked for. */
  #echoOf({ from }: Choice, { returnsTokenIds }: ChatParams): string {
    return this.#asked.echo && !returnsTokenIds ? from.text : ''
  }

  get #echoesLogprobs(): boolean {
    return this.#asked.echo && this.#asked.logprobs !== undefined
  }

  #logprobsOf({ drawn, from }: Choice, params: ChatParams): Logprobs | undefined {
    const { logprobs: count } = this.#asked
    if (count === undefined) return undefined
    const prompt = this.#echoesLogprobs ? from.tokens : []
    const { alternatives } = from.completion
    const { namesTokensById: byId } = params
    const options = { draws: drawn.draws, top: Math.max(1, count), byId, alternatives }
    const answer = tokensOf(drawn.answer)
    // The prompt has the draws after those of the answer, so that an echo does not change the answer's.
    const drawnLogprobs = logprobsOf([...answer, ...prompt], options)
    return new Logprobs(drawnLogprobs.slice(answer.length), drawnLogprobs.slice(0, answer.length))
  }
}

/** Log probabilities in the form of this wire: one list for each field. */
class Logprobs {
  readonly #all: readonly TokenLogprob[]
  /** The length of the text before each token. */
  readonly #offsets: readonly number[]
  /** The number of tokens of the prompt, which come first. */
  readonly #before: number

  constructor(prompt: readonly TokenLogprob[], answer: readonly TokenLogprob[]) {
    this.#all = [...prompt, ...answer]
    this.#before = prompt.length
    let offset = 0
    this.#offsets = this.#all.map(({ token }) => {
      const start = offset
      offset += token.length
      return start
    })
  }

  /** The log probabilities of some tokens of the answer. Those of the prompt come with the first one. */
  part(from = 0, to = this.#all.length): object {
    const start = from === 0 ? 0 : this.#before + from
    const some = this.#all.slice(start, this.#before + to)
    // Nothing comes before the first token of a prompt, so it has no probability.
    const isUnknown = (index: number): boolean => this.#before > 0 && start + index === 0
    return {
      text_offset: this.#offsets.slice(start, start + some.length),
      token_logprobs: some.map(({ logprob }, index) => (isUnknown(index) ? null : logprob)),
      tokens: some.map(({ token }) => token),
      top_logprobs: some.map(({ top_logprobs: top }, index) => {
        if (isUnknown(index)) return null
        return Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))
      }),
    }
  }
}

const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

function add(one: Usage, other: Usage): Usage {
  return {
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
  }
}

/** The completion without what was generated. */
function withoutAnswers(completion: Completion): Completion {
  const { prompt_tokens } = completion.usage
  const answer: Answer = { parts: [], hidden: [], finishReason: 'length', stopReason: null }
  return {
    ...completion,
    answers: completion.answers.map(({ draws }) => ({ answer, draws })),
    usage: { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens },
  }
}

/** This wire knows no tool calls. */
function finishReasonOf({ finishReason }: Answer): string {
  return finishReason === 'tool_calls' ? 'stop' : finishReason
}

function outOfVocabulary(id: number): BadField {
  const message = `Token id ${id} is out of vocabulary`
  return Object.assign(new BadField('prompt', ''), { message })
}

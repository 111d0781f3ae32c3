import {
  chatCompletion,
  chatCompletionRequest,
  chatCompletionResponse,
  type ChatCompletion,
} from '../contract/chat.js'
import { ApiError, apiErrors } from '../contract/errors.js'
import { BrokenOff, type Host } from '../contract/exchange.js'
import { chatRefusal, waitHeaders } from '../contract/status-refusals.js'
import { visibleTokens, type ReplyError } from '../engine/chat/answer.js'
import { BadField } from '../engine/chat/bad-field.js'
import { readChatRequest } from '../engine/chat/chat-params.js'
import type { ChatOutcome } from '../engine/chat/chat.js'
import type { Completion } from '../engine/chat/completion.js'
import type { Pacing } from '../engine/chat/pacing.js'
import type { ChatRequest } from '../engine/chat/request.js'
import { counted } from '../../base/text/counted.js'
import { warnOfBaseAnswer } from '../engine/base-answers.js'
import type { ChatMessage } from '../scenario/chat-facts.js'
import type { Engine } from '../engine/engine.js'
import type { DelayedResponses } from '../engine/delayed-responses.js'
import type { RequestEntry } from '../engine/journal.js'
import { findBroughtAdapter, refusalOf } from '../engine/brought-adapters.js'
import { servedHint } from '../engine/served-hint.js'
import { findServedModel, type ServedModel } from '../engine/served-models.js'
import { toIso } from '../../base/text/iso.js'
import { milliseconds } from '../../base/text/duration.js'
import { completionBody } from './completion.js'
import { completionMoments } from './completion-stream.js'
import { projectHeaderOf } from './fault-request.js'
import { mayName, mayUse } from './ownership.js'
import {
  NoAnswer,
  EventStream,
  operation,
  type Call,
  type Operation,
  type ResultOf,
} from './operation.js'
import { CHAT_TAG } from './tags.js'

/** The real service has a row for both spellings of the path, without a redirect between them. */
function chatRow(id: string, host: Host, path: string): Operation {
  return operation({
    id,
    host,
    method: 'POST',
    path,
    name: 'create_chat_completion',
    tag: CHAT_TAG,
    summary: 'Create Chat Completion',
    auth: 'bearer',
    body: chatCompletionRequest,
    response: host === 'training' ? chatCompletionResponse : chatCompletion,
    contentTypes: ['application/json', 'text/event-stream'],
    refusals: [404],
    run: answerChat,
  })
}

type ChatResult = ResultOf<ChatCompletion>

/** A request for a chat. */
type ChatCall = Call<unknown, unknown, ChatBody>

type ChatBody = Readonly<Record<string, unknown>> & {
  readonly model: string
  readonly messages: readonly ChatMessage[]
}

function answerChat(call: ChatCall): ChatResult | Promise<ChatResult> {
  const { engine, entry } = call
  const answer = (read: ReadChat): ChatResult | Promise<ChatResult> => {
    return read instanceof ApiError ? read : limited({ engine, entry, request: read })
  }
  const read = readChat(call)
  return read instanceof Promise ? read.then(answer) : answer(read)
}

type ReadChat = ChatRequest | ApiError

/** Finds the model of a chat and reads its parameters. */
function readChat(call: ChatCall): ReadChat | Promise<ReadChat> {
  const { engine, body } = call
  const served = findServedModel(engine, { name: body.model, at: engine.clock.now() })
  if (!served || !mayChat(call, served)) return readForBrought(call) ?? readForJudge(call)
  return served.kind === 'unserved' ? notServed(call, served) : readFor(served, call)
}

/** Whether the key of a call may chat with a model. */
function mayChat(call: ChatCall, served: ServedModel): boolean {
  return served.kind === 'base' || mayUse(call, served.model.record.entity)
}

/** Reads a chat with an adapter that a user logged as an artifact. Undefined if the model is none. */
function readForBrought(call: ChatCall): ReadChat | undefined {
  const { engine, body, entry } = call
  const adapter = mayName(call, body.model) ? findBroughtAdapter(engine, body.model) : undefined
  if (!adapter) return undefined
  const refusal = refusalOf(adapter, (id) => engine.store.servesBaseModel(id))
  if (refusal === undefined) return readFor({ kind: 'base', id: adapter.baseModel! }, call)
  entry.hint = refusal
  return apiErrors.servedModelNotFound(body.model)
}

function readFor(
  served: ChatRequest['served'],
  { body, json, request: { headers } }: ChatCall,
): ReadChat {
  const params = readChatRequest(body, json.exact)
  return params instanceof BadField ? refuse(params) : { params, served, headers }
}

function refuse({ message, param, type }: BadField): ApiError {
  return apiErrors.invalidChat(message, param, type)
}

/** Reads a chat with a model that does not exist. It is answered if it asks a judge for scores. */
function readForJudge(call: ChatCall): ReadChat | Promise<ReadChat> {
  const { engine, body, json } = call
  const served = { kind: 'base', id: body.model } as const
  const { judge } = engine.chat
  if (judge.isNamed(body.model)) return readFor(served, call)
  const params = readChatRequest(body, json.exact)
  if (params instanceof BadField || !judge.mayJudge(params)) return notFound(call)
  return judge.answers(params).then((isJudge) => {
    return isJudge ? readFor(served, call) : notFound(call)
  })
}

/** The service says only that the model does not exist. The journal has a hint. */
function notFound({ engine, entry, body }: ChatCall): ApiError {
  entry.hint = servedHint(engine.store, { name: body.model, at: engine.clock.now() })
  return apiErrors.servedModelNotFound(body.model)
}

function notServed(
  { engine, entry, body }: ChatCall,
  { from }: Extract<ServedModel, { kind: 'unserved' }>,
): ApiError {
  // A client that asks for a checkpoint that is not served yet waits for it.
  if (from !== undefined) engine.skipTo(from)
  entry.hint =
    from === undefined
      ? 'this checkpoint is no longer served'
      : `this checkpoint is not served before ${toIso(from)}`
  return apiErrors.servedModelNotFound(body.model)
}

interface Chatting {
  engine: Engine
  entry: RequestEntry
  request: ChatRequest
}

/** Answers, unless the project already has as many concurrent chats as the scenario allows. */
function limited(chatting: Chatting): ChatResult | Promise<ChatResult> {
  const { engine, entry, request } = chatting
  const { concurrency } = engine.scenario.chat
  if (concurrency === undefined) return complete(chatting, () => {})
  const leave = engine.chat.usage.enter(projectHeaderOf(request.headers) ?? '', concurrency)
  if (leave) return complete(chatting, leave)
  entry.effects.push(`refused: ${counted(concurrency, 'chat')} at once`)
  return chatRefusal(429)
}

/** Calls `leave` when the answer is sent, or when there will be none. */
function complete(chatting: Chatting, leave: () => void): ChatResult | Promise<ChatResult> {
  try {
    const { engine, entry } = chatting
    const onRule = (index: number): void => void (entry.chatRule = index)
    const request = { ...chatting.request, onRule }
    const completed = engine.chat.complete(request)
    if (!(completed instanceof Promise)) return resultOf(chatting, completed, leave)
    return completed
      .then((settled) => resultOf(chatting, settled, leave))
      .catch((error: unknown) => {
        leave()
        throw error
      })
  } catch (error) {
    leave()
    throw error
  }
}

function resultOf(
  { engine, entry, request }: Chatting,
  completed: ChatOutcome,
  leave: () => void,
): ChatResult | Promise<ChatResult> {
  if (completed instanceof BadField) {
    leave()
    return refuse(completed)
  }
  if ('error' in completed) {
    leave()
    return refused(engine, completed)
  }
  if (completed.effect !== undefined) entry.effects.push(completed.effect)
  if (completed.answeredBy !== undefined) entry.answeredBy = completed.answeredBy
  recordUsage({ engine, entry, request }, completed)
  engine.lineage.sampled(request, completed, entry.id)
  announce({ engine, entry, request })
  const { params, served } = request
  warnOfBaseAnswer(engine, { name: params.model, served, request: entry.id })
  const { pacing } = completed
  if (params.body.stream === true) {
    const moments = completionMoments(completed, params)
    return new EventStream(
      pacing ? paced(moments, { pacing, delayed: engine.delayed, leave }) : atOnce(moments, leave),
    )
  }
  if (!pacing) {
    leave()
    return completionBody(completed, params)
  }
  const longest = Math.max(
    ...completed.answers.map(({ answer: each }) => visibleTokens(each).length),
  )
  return engine.delayed.wait(pacing.total(longest)).then((inTime) => {
    leave()
    return inTime ? completionBody(completed, params) : new NoAnswer()
  })
}

/** A refusal from the scenario. If it asks the client to wait and the clock is virtual, skips the wait. */
function refused(engine: Engine, { error, message, retry_after }: ReplyError): ChatResult {
  if (retry_after === undefined) return chatRefusal(error, { message })
  const wait = milliseconds(retry_after)
  engine.skipTo(engine.clock.now() + wait)
  return chatRefusal(error, { message, headers: waitHeaders(wait) })
}

function* atOnce(moments: Iterable<string[]>, leave: () => void): Generator<string> {
  try {
    // Not `yield*`, which takes longer for each of thousands of chunks.
    for (const chunks of moments) for (const chunk of chunks) yield chunk
  } finally {
    leave()
  }
}

interface PacedStream {
  pacing: Pacing
  delayed: DelayedResponses
  leave: () => void
}

async function* paced(
  moments: Iterable<string[]>,
  { pacing, delayed, leave }: PacedStream,
): AsyncGenerator<string> {
  try {
    let place = 0
    for (const chunks of moments) {
      if (!(await delayed.wait(pacing.before(place++))))
        throw new BrokenOff('The world ended meanwhile')
      yield* chunks
    }
  } finally {
    leave()
  }
}

/** Tells the timeline that a checkpoint has answered. */
function announce({ engine, entry, request: { served } }: Chatting): void {
  if (served.kind === 'base') return
  const { model, checkpoint } = served
  const at = engine.clock.now()
  engine.events.emit({ type: 'chat_answered', at, model, checkpoint, cause: entry.id })
}

function recordUsage({ engine, entry, request }: Chatting, { usage, effect }: Completion): void {
  const { prompt_tokens, completion_tokens } = usage
  const { served } = request
  const isOutside = served.kind === 'base' && !engine.store.servesBaseModel(served.id)
  // What a judge answers has an effect.
  if (isOutside && entry.chatRule === undefined && !effect) entry.inventedFor = served.id
  engine.meter.count(request, usage)
  const project = projectHeaderOf(request.headers)
  const tokens = counted(completion_tokens, 'token')
  // A rule for rollouts may match what a judge is asked.
  const by = isOutside && entry.chatRule !== undefined ? ` by chat.rules[${entry.chatRule}]` : ''
  const summary = `answered as ${answererText(served)}${by} with ${tokens}`
  if (project === undefined) {
    entry.usage = { prompt_tokens, completion_tokens }
    entry.effects.push(summary)
    return
  }
  const { requests, total_tokens } = engine.chat.usage.count(project, usage)
  entry.usage = { project, prompt_tokens, completion_tokens }
  const sum = `${counted(total_tokens, 'token')} in ${counted(requests, 'chat')}`
  entry.effects.push(`${summary}; ${project} is at ${sum}`)
}

/** Who answered, in words. */
function answererText(served: Exclude<ServedModel, { kind: 'unserved' }>): string {
  if (served.kind === 'base') return served.id
  return `${served.model.record.name} at step ${served.checkpoint.step}`
}

export const chatOperations = [
  chatRow('createChatCompletionSlashed', 'training', '/v1/chat/completions/'),
  chatRow('createChatCompletion', 'training', '/v1/chat/completions'),
]

export const inferenceChatOperations = [
  chatRow('createInferenceChatCompletion', 'inference', '/v1/chat/completions'),
]

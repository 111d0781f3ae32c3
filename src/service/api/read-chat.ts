import { apiErrors, type ApiError } from '../contract/errors.js'
import { BadField } from '../engine/chat/bad-field.js'
import { readChatRequest } from '../engine/chat/chat-params.js'
import type { ChatRequest } from '../engine/chat/request.js'
import { findBroughtAdapter, refusalOf } from '../engine/brought-adapters.js'
import { servedHint } from '../engine/served-hint.js'
import { findServedModel, type ServedModel } from '../engine/served-models.js'
import type { ChatMessage } from '../scenario/chat-facts.js'
import { toIso } from '../../base/text/iso.js'
import type { Call } from './operation.js'
import { mayName, mayUse } from './ownership.js'

/** A request for a chat. */
export type ChatCall = Call<unknown, unknown, ChatBody>

type ChatBody = Readonly<Record<string, unknown>> & {
  readonly model: string
  readonly messages: readonly ChatMessage[]
}

type ReadChat = ChatRequest | ApiError

/** Finds the model of a chat and reads its parameters. */
export function readChat(call: ChatCall): ReadChat | Promise<ReadChat> {
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
  return params instanceof BadField ? invalidChat(params) : { params, served, headers }
}

/** The refusal of a chat with a field that is wrong. */
export function invalidChat({ message, param, type }: BadField): ApiError {
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

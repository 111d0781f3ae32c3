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

/** A chat that is refused, and what its caller does not hear. */
export interface RefusedChat {
  readonly error: ApiError
  readonly hint?: string
  /** When the model will be served. A client that asks for it before waits for it. */
  readonly servedFrom?: number | undefined
}

type ReadChat = ChatRequest | RefusedChat

/** Finds the model of a chat and reads its parameters. */
export function readChat(call: ChatCall): ReadChat | Promise<ReadChat> {
  const { engine, body } = call
  const served = findServedModel(engine, { name: body.model, at: engine.clock.now() })
  if (!served || !mayChat(call, served)) return readForBrought(call) ?? readForJudge(call)
  return served.kind === 'unserved' ? notServed(body.model, served) : readFor(served, call)
}

/** Whether the key of a call may chat with a model. */
function mayChat(call: ChatCall, served: ServedModel): boolean {
  return served.kind === 'base' || mayUse(call, served.model.record.entity)
}

/** Reads a chat with an adapter that a user logged as an artifact. Undefined if the model is none. */
function readForBrought(call: ChatCall): ReadChat | undefined {
  const { engine, body } = call
  const adapter = mayName(call, body.model) ? findBroughtAdapter(engine, body.model) : undefined
  if (!adapter) return undefined
  const refusal = refusalOf(adapter, (id) => engine.store.servesBaseModel(id))
  if (refusal === undefined) return readFor({ kind: 'base', id: adapter.baseModel! }, call)
  return { error: apiErrors.servedModelNotFound(body.model), hint: refusal }
}

function readFor(
  served: ChatRequest['served'],
  { body, json, request: { headers } }: ChatCall,
): ReadChat {
  const params = readChatRequest(body, json.exact)
  return params instanceof BadField ? { error: invalidChat(params) } : { params, served, headers }
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

/** The service says only that the model does not exist. */
function notFound({ engine, body }: ChatCall): RefusedChat {
  const hint = servedHint(engine.store, { name: body.model, at: engine.clock.now() })
  return { error: apiErrors.servedModelNotFound(body.model), hint }
}

function notServed(
  model: string,
  { from }: Extract<ServedModel, { kind: 'unserved' }>,
): RefusedChat {
  const hint =
    from === undefined
      ? 'this checkpoint is no longer served'
      : `this checkpoint is not served before ${toIso(from)}`
  return { error: apiErrors.servedModelNotFound(model), hint, servedFrom: from }
}

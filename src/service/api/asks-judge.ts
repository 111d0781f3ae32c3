import { isRecord } from '../contract/pydantic/record.js'
import { BadField } from '../engine/chat/bad-field.js'
import { readChatRequest } from '../engine/chat/chat-params.js'
import { servedName } from '../engine/chat/request.js'
import type { Engine } from '../engine/engine.js'
import { findServedModel } from '../engine/served-models.js'

/** Whether a body, which nobody has checked, asks a judge for scores. */
export function asksJudge(engine: Engine, body: unknown): boolean {
  if (!isRecord(body)) return false
  const { model, messages } = body
  if (typeof model !== 'string' || !Array.isArray(messages) || !messages.every(isRecord)) {
    return false
  }
  const params = readChatRequest({ ...body, model, messages })
  if (params instanceof BadField) return false
  const served = findServedModel(engine, { name: model, at: engine.clock.now() })
  const isServed = served !== undefined && served.kind !== 'unserved'
  const facts = isServed ? { kind: served.kind, name: servedName(served) } : undefined
  return engine.chat.judge.isJudging(params, facts)
}

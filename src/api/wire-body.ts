import { apiErrors, type ApiError } from '../contract/errors.js'
import type { BadField } from '../engine/chat/chat-params.js'
import type { FinishReason } from '../engine/chat/answer.js'

type Json = Readonly<Record<string, unknown>>

/** Copies fields that have the same name and meaning in a chat completion. */
export function sameFields(body: Json, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]]),
  )
}

/** Fields of every wire that have the same name and meaning in a chat completion. */
export const COMMON_FIELDS = [
  'stream',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'min_tokens',
  'seed',
  'return_token_ids',
  'return_tokens_as_token_ids',
] as const

/** Refuses a field by its name. */
export function refuseField({ message, param, type }: BadField): ApiError {
  return apiErrors.invalidChat(message, param, type)
}

/** The names that fields of a chat have on a wire. The first pattern that matches a path renames it. */
export type WireNames = readonly (readonly [chat: RegExp, here: string])[]

/** A path of a schema in the message of a problem that names no parameter. */
const SCHEMA_PATH = /\b(?:tools\[\d+\]\.function|response_format)[\w.[\]]*/g

/** Makes a function that refuses a field of a chat by the name that it has on a wire. */
export function refuseByNames(names: WireNames): (problem: BadField) => ApiError {
  const renamed = (path: string): string => {
    return names.reduce((name, [chat, here]) => name.replace(chat, here), path)
  }
  return ({ message, param, type }) => {
    if (param === null) {
      return apiErrors.invalidChat(message.replaceAll(SCHEMA_PATH, renamed), null, type)
    }
    const [, place = '', path = param] = /^(body\.)?(.*)$/.exec(param) ?? []
    const own = renamed(path)
    return apiErrors.invalidChat(message.replaceAll(path, own), place + own, type)
  }
}

/** The part of a completion's id after its prefix. */
export function idOf(completionId: string): string {
  return completionId.replace(/^chatcmpl-/, '')
}

/** Whether the answer ended before the model was done. */
export function wasCut(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'content_filter'
}

/** Writes one server-sent event with its name, which is also its `type`. */
export function namedEvent(type: string, data: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

import { ApiError, apiErrors } from '../contract/errors.js'
import { DISCONNECT, type Api, type Outcome } from '../contract/exchange.js'
import { printDetail, Unprintable } from '../contract/pydantic/python-print.js'
import type { Problem } from '../contract/pydantic/problem.js'
import { printableJson } from '../../base/text/escape.js'
import { controlWording } from './control-wording.js'
import {
  NoAnswer,
  EventStream,
  RawReply,
  Reply,
  TextReply,
  WrittenReply,
  type Result,
} from './result.js'
import { firstOf } from './refusal-detail.js'

/** A request that does not match the operation's schemas: 422, or 400 on the inference host. */
export class Refusal {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    this.problems = problems
  }
}

/** Encodes the result of an operation for the wire. */
export function encode(result: Result | Refusal, host: Api): Outcome {
  if (result instanceof EventStream) {
    return { kind: 'stream', status: 200, headers: STREAM_HEADERS, chunks: result.chunks }
  }
  if (result instanceof TextReply) {
    return respondWith(200, { ...TEXT_HEADERS, ...result.headers }, result.text)
  }
  if (result instanceof RawReply) return result.outcome
  if (result instanceof NoAnswer) return DISCONNECT
  if (result instanceof Refusal) {
    if (host === 'training') return refusedByFramework(result.problems)
    const refusal = encode(refusalFor(result.problems, host), host)
    return refusal.kind === 'response' ? { ...refusal, reason: firstOf(result.problems) } : refusal
  }
  if (result instanceof ApiError) {
    const headers = { ...JSON_HEADERS, ...result.options.headers }
    const answer = respondWith(result.status, headers, jsonFor(host, result.bodyFor(host)))
    return { ...answer, reason: result.options.reason ?? result.message }
  }
  if (result instanceof WrittenReply) return respondWith(200, JSON_HEADERS, result.json)
  if (result instanceof Reply) {
    const { status, headers, body } = result
    if (body === undefined) return respondWith(status, headers, '')
    return respondWith(status, { ...JSON_HEADERS, ...headers }, jsonFor(host, body))
  }
  return respondWith(200, JSON_HEADERS, jsonFor(host, result))
}

/** People print the JSON of the control API in a terminal. That of the service is what the service writes. */
function jsonFor(host: Api, value: unknown): string {
  return host === 'control' ? printableJson(value) : JSON.stringify(value)
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const
/** Keeps a browser from treating the text as a page. */
const TEXT_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
} as const
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
}

/** A 422 in the words of the framework, or the 500 that it answers if it cannot print its 422. */
function refusedByFramework(problems: readonly Problem[]): Outcome {
  const reason = firstOf(problems)
  try {
    const body = `{"detail":${printDetail(problems)}}`
    return { ...respondWith(422, JSON_HEADERS, body), reason }
  } catch (error) {
    if (!(error instanceof Unprintable)) throw error
    const headers = { 'content-type': TEXT_HEADERS['content-type'] }
    const why = `the framework cannot print ${error.what} in its 422; the service answers 500 (${reason})`
    return { ...respondWith(500, headers, 'Internal Server Error'), reason: why }
  }
}

function refusalFor(problems: readonly Problem[], host: Exclude<Api, 'training'>): ApiError {
  if (host === 'control') {
    return new ApiError(400, problems.map(controlWording).join(' '))
  }
  const { type, loc, msg, ctx } = problems[0]!
  if (type === 'json_invalid') {
    const why = (ctx as { error: string }).error
    const place = `character ${Number(loc[1]) + 1}`
    return apiErrors.invalidInferenceRequest(`The body is not valid JSON: ${why} at ${place}`, null)
  }
  const param = loc.slice(1).join('.') || null
  return apiErrors.invalidInferenceRequest(param === null ? msg : `${param}: ${msg}`, param)
}

function respondWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Extract<Outcome, { kind: 'response' }> {
  return { kind: 'response', status, headers, body }
}

import { ApiError, apiErrors } from '../contract/errors.js'
import { DISCONNECT, type Api, type Outcome } from '../contract/exchange.js'
import { looseJson } from '../contract/json-text.js'
import type { Problem } from '../contract/validation/problem.js'
import { BROKEN_OFF, EventStream, LooseReply, Reply, TextReply, type Result } from './operation.js'

/** A request that does not fit the operation's schemas: 422, or the inference host's 400. */
export class Refusal {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    this.problems = problems
  }
}

/** What goes over the wire for what an operation said. */
export function encode(result: Result | Refusal, host: Api): Outcome {
  if (result instanceof EventStream) {
    return { kind: 'stream', status: 200, headers: STREAM_HEADERS, chunks: result.chunks }
  }
  if (result instanceof TextReply) return respondWith(200, TEXT_HEADERS, result.text)
  if (result === BROKEN_OFF) return DISCONNECT
  if (result instanceof Refusal) return encode(refusalFor(result.problems, host), host)
  if (result instanceof ApiError) {
    const headers = { ...JSON_HEADERS, ...result.options.headers }
    return respondWith(result.status, headers, JSON.stringify(result.bodyFor(host)))
  }
  if (result instanceof LooseReply) return respondWith(200, JSON_HEADERS, looseJson(result.body))
  if (result instanceof Reply) {
    const { status, headers, body } = result
    if (body === undefined) return respondWith(status, headers, '')
    return respondWith(status, { ...JSON_HEADERS, ...headers }, JSON.stringify(body))
  }
  return respondWith(200, JSON_HEADERS, JSON.stringify(result))
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const
/** A browser that is shown it is not to take it for a page. */
const TEXT_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
} as const
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
}

function refusalFor(problems: readonly Problem[], host: Api): Reply | ApiError {
  if (host === 'training') return new Reply(422, { detail: problems })
  if (host === 'control') {
    return new ApiError(400, problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
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
): Outcome {
  return { kind: 'response', status, headers, body }
}

import { ApiError, apiErrors } from '../contract/errors.js'
import { BODY_LIMIT, type ApiRequest, type Host, type Outcome } from '../contract/exchange.js'
import { readJsonBody } from '../contract/validation/body.js'
import type { Problem } from '../contract/validation/problem.js'
import { validateBody, type Validated } from '../contract/validation/validate.js'
import type { Engine } from '../engine/engine.js'
import type { RequestEntry } from '../engine/journal.js'
import type { OpenTrainingData } from '../engine/training-data.js'
import { wallNow } from '../world/wall.js'
import { authenticate } from './authenticate.js'
import { EventStream, Reply, type Result } from './operation.js'
import { lastOfEach } from './query.js'
import { Router } from './route.js'
import { operations } from './table.js'

export interface HandlerOptions {
  /** Asked for each request, so that a reset or another world takes effect at once. */
  engine: () => Engine
  openTrainingData: OpenTrainingData
  /** A path prefix that stands before every row's path, without a slash at its end. */
  basePath: string
}

/**
 * The whole server as a function. It never throws: what fails inside is a 500 and a journal entry.
 * Most operations have their answer at once, and it is then given without a promise.
 */
export function createHandler(options: HandlerOptions) {
  const routers = {
    training: new Router(operations.filter(({ host }) => host === 'training')),
    inference: new Router(operations.filter(({ host }) => host === 'inference')),
  }

  return function handle(host: Host, request: ApiRequest): Outcome | Promise<Outcome> {
    const engine = options.engine()
    if (engine.ready) return engine.ready.then(() => handle(host, request))
    engine.clock.catchUp()
    const start = wallNow()
    const entry = engine.journal.open(host, request)
    const asked = { host, request, engine, entry, router: routers[host], options }
    const answer = (result: Result | Refusal): Outcome => {
      const outcome = encode(result, host)
      engine.journal.close(entry, { status: outcome.status, took: wallNow() - start })
      return outcome
    }
    const fail = (error: unknown): Outcome => {
      entry.fault = error
      return answer(apiErrors.internal())
    }
    try {
      const result = respond(asked)
      return result instanceof Promise ? result.then(answer).catch(fail) : answer(result)
    } catch (error) {
      return fail(error)
    }
  }
}

interface Asked {
  host: Host
  request: ApiRequest
  engine: Engine
  entry: RequestEntry
  router: Router
  options: HandlerOptions
}

/** The steps of every request, in the order of the real framework (contract-facts section 2). */
function respond(asked: Asked): Result | Refusal | Promise<Result> {
  const { host, request, engine, entry, router, options } = asked

  const path = withoutPrefix(request.path, options.basePath)
  if (path === undefined) {
    entry.hint = `every path begins with ${options.basePath}`
    return apiErrors.unknownRoute(host)
  }
  const match = router.match(request.method, path)
  if (match.kind === 'redirect') return redirectTo(request, options.basePath + match.path)
  if (match.kind === 'wrong-method') return apiErrors.methodNotAllowed(match.allow)
  if (match.kind === 'unknown') {
    entry.hint = `nearest operation: ${match.nearest}`
    return apiErrors.unknownRoute(host)
  }
  const { operation } = match
  entry.operation = operation.id

  const json = operation.body ? readBody(request) : undefined
  if (json instanceof ApiError || json instanceof Refusal) return json
  const account = authenticate(request.headers.authorization, engine.scenario.auth, operation)
  if (account instanceof ApiError) return account

  const params = operation.params?.validate(match.params)
  const query = operation.query?.validate(lastOfEach(request.query))
  const body = operation.body && validateBody(operation.body, json?.value)
  const problems = [params, query, body].flatMap(problemsOf)
  if (problems.length > 0) return new Refusal(problems)

  return operation.run({
    engine,
    account,
    params: valueOf(params),
    query: valueOf(query),
    body: valueOf(body),
    request,
    entry,
    openTrainingData: options.openTrainingData,
    operations,
  })
}

/** A request that does not fit the operation's schemas: 422, or the inference host's 400. */
class Refusal {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    this.problems = problems
  }
}

function withoutPrefix(path: string, prefix: string): string | undefined {
  if (prefix === '') return path
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined
}

function redirectTo({ base, query }: ApiRequest, path: string): Reply {
  const location = base + path + (query && `?${query}`)
  return new Reply(307, undefined, { location })
}

function readBody({ body, headers }: ApiRequest): { value?: unknown } | ApiError | Refusal {
  if (body === 'too-large') return apiErrors.bodyTooLarge(BODY_LIMIT)
  const read = readJsonBody(body, headers['content-type'])
  if (read.kind === 'problem') return new Refusal([read.problem])
  if (read.kind === 'unreadable') return apiErrors.unreadableBody()
  return read.kind === 'absent' ? {} : read
}

function problemsOf(validated: Validated<unknown> | undefined): readonly Problem[] {
  return validated === undefined || validated.ok ? [] : validated.problems
}

function valueOf(validated: Validated<unknown> | undefined): unknown {
  return validated?.ok ? validated.value : undefined
}

function encode(result: Result | Refusal, host: Host): Outcome {
  if (result instanceof EventStream) {
    return { kind: 'stream', status: 200, headers: STREAM_HEADERS, chunks: result.chunks }
  }
  if (result instanceof Refusal) return encode(refusalFor(result.problems, host), host)
  if (result instanceof ApiError) {
    const headers = { ...JSON_HEADERS, ...result.options.headers }
    return respondWith(result.status, headers, result.bodyFor(host))
  }
  if (result instanceof Reply) {
    const headers =
      result.body === undefined ? result.headers : { ...JSON_HEADERS, ...result.headers }
    return respondWith(result.status, headers, result.body)
  }
  return respondWith(200, JSON_HEADERS, result)
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
}

function refusalFor(problems: readonly Problem[], host: Host): Reply | ApiError {
  if (host === 'training') return new Reply(422, { detail: problems })
  const { loc, msg } = problems[0]!
  const param = loc.slice(1).join('.') || null
  return apiErrors.invalidInferenceRequest(param === null ? msg : `${param}: ${msg}`, param)
}

function respondWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Outcome {
  return { kind: 'response', status, headers, body: body === undefined ? '' : JSON.stringify(body) }
}

import { ApiError, apiErrors } from '../contract/errors.js'
import {
  BODY_LIMIT,
  DISCONNECT,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../contract/exchange.js'
import { readJsonBody } from '../contract/pydantic/body.js'
import type { Problem } from '../contract/pydantic/problem.js'
import { validateBody, type Validated } from '../contract/pydantic/validate.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import type { PageFault } from '../engine/faults/fault-plan.js'
import type { FaultRequest } from '../engine/faults/live-fault.js'
import type { RequestEntry } from '../engine/journal.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'
import { wallNow, wallSince } from '../clock/wall.js'
import { authenticate, keyOf } from './authenticate.js'
import { encode, Refusal } from './encode.js'
import { answerFaulty } from './faulty.js'
import { modelNamedBy } from './model-named-by.js'
import { Reply, type Operation, type Result } from './operation.js'
import { lastOfEach } from './query.js'
import { detailOf, shortDetail } from './refusal-detail.js'
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
    engine.wake()
    const start = wallNow()
    const entry = engine.journal.open(host, request)
    const close = (outcome: Outcome): Outcome => {
      if (outcome.kind === 'disconnect' || outcome.kind === 'hang') entry.lost = outcome.kind
      else entry.status = outcome.status
      if (outcome.kind === 'response' && outcome.status >= 400) {
        const keys = [
          keyOf(request.headers.authorization) ?? '',
          ...Object.keys(engine.scenario.auth.keys ?? {}),
        ]
        entry.detail = shortDetail(outcome.reason ?? detailOf(outcome.body), keys)
      }
      engine.journal.close(entry, wallSince(start))
      return outcome
    }
    const fail = (error: unknown): Outcome => {
      entry.fault = error
      return close(encode(apiErrors.internal(host), host))
    }
    try {
      const outcome = respond({ host, request, engine, entry, router: routers[host], options })
      if (!(outcome instanceof Promise)) return close(outcome)
      // What began in a world that has ended since breaks off: it created nothing that is there.
      const inTime = (made: Outcome): Outcome => (engine.clock.ended ? DISCONNECT : made)
      return outcome.then((made) => close(inTime(made))).catch(fail)
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
function respond(asked: Asked): Outcome | Promise<Outcome> {
  const { host, engine, entry } = asked
  const call = recognise(asked)
  if (!isRecognised(call)) return encode(call, host)

  const plan = engine.faults.plan(() => factsOf(asked, call))
  if (!plan) return encoded(perform(asked, call), host)
  for (const told of plan.effects) entry.effects.push(told)
  return answerFaulty({ host, engine, plan, work: () => perform(asked, call, plan.pages) })
}

/** A request whose operation and sender are known. */
interface Recognised {
  operation: Operation
  account: Account
  /** Those in the path, unchecked. */
  given: Readonly<Record<string, string>>
  json: { value?: unknown } | undefined
}

function isRecognised(call: Recognised | Result | Refusal): call is Recognised {
  return typeof call === 'object' && call !== null && 'operation' in call
}

function recognise(asked: Asked): Recognised | ApiError | Reply | Refusal {
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
  const { operation, params: given } = match
  entry.operation = operation.id

  const json = operation.body ? readBody(request) : undefined
  if (json instanceof ApiError || json instanceof Refusal) return json
  const account = authenticate(request.headers.authorization, engine.scenario.auth, operation)
  return account instanceof ApiError ? account : { operation, account, given, json }
}

/** Checks the request against the operation's schemas, and runs it. */
function perform(
  { request, engine, entry, options }: Asked,
  { operation, account, given, json }: Recognised,
  pageFaults: readonly PageFault[] = [],
): Result | Refusal | Promise<Result> {
  const params = operation.params?.validate(given)
  const query = operation.query?.validate(lastOfEach(request.query))
  const body = operation.body && validateBody(operation.body, json?.value)
  if (params?.ok === false || query?.ok === false || body?.ok === false) {
    return new Refusal([params, query, body].flatMap(problemsOf))
  }
  return operation.run({
    engine,
    account,
    params: valueOf(params),
    query: valueOf(query),
    body: valueOf(body),
    request,
    entry,
    openTrainingData: options.openTrainingData,
    pageFaults,
    operations,
  })
}

function encoded(
  result: Result | Refusal | Promise<Result>,
  host: Host,
): Outcome | Promise<Outcome> {
  return result instanceof Promise
    ? result.then((settled) => encode(settled, host))
    : encode(result, host)
}

function factsOf({ host, request, engine }: Asked, call: Recognised): FaultRequest {
  const { operation, account, given, json } = call
  const { method, path, headers } = request
  const body = json?.value
  return {
    operation: operation.id,
    host,
    method,
    path,
    key: account.key,
    user: account.user,
    model: modelNamedBy(engine.store, { given, body }),
    headers,
    body,
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

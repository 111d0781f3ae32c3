import { noBody, noQuery } from './control-input.js'
import { ApiError, apiErrors } from '../contract/errors.js'
import { BODY_LIMIT, type ApiRequest, type Outcome } from '../contract/exchange.js'
import { readJsonBody } from '../contract/pydantic/body.js'
import type { Problem } from '../contract/pydantic/problem.js'
import { validateBody, type Validated } from '../contract/pydantic/validate.js'
import { encode, Refusal } from '../api/encode.js'
import { Reply, type Operation, type Result } from '../api/operation.js'
import { lastOfEach, repeatedIn } from '../api/query.js'
import { Router } from '../api/route.js'
import { operations } from './table.js'
import { refuseStranger, refuseWithoutToken } from './access.js'
import type { Emulator } from '../emulator/emulator.js'
import { runControl } from './row.js'

/**
 * The control API as a function. Unlike a call of the API it is not recorded, moves no time by being
 * made, meets no fault and needs no API key.
 */
export function createControlHandler(emulator: Emulator) {
  const router = new Router(operations.filter(({ host }) => host === 'control'))

  return async function handle(request: ApiRequest): Promise<Outcome> {
    const stranger = refuseStranger(request, emulator.controlAccess)
    if (stranger) return encode(stranger, 'control')
    const match = router.match(request.method, request.path)
    if (match.kind === 'redirect') {
      return encode(new Reply(307, undefined, { location: request.base + match.path }), 'control')
    }
    if (match.kind === 'wrong-method') {
      return encode(apiErrors.methodNotAllowed(match.allow), 'control')
    }
    if (match.kind === 'unknown') {
      return encode(new ApiError(404, `Not found. Nearest: ${match.nearest}`), 'control')
    }
    const { operation, params } = match
    const outsider = refuseWithoutToken(request, operation, emulator.controlAccess)
    if (outsider) return encode(outsider, 'control')
    try {
      return encode(await perform({ emulator, request, operation, given: params }), 'control')
    } catch (error) {
      return encode(refusalOf(error), 'control')
    }
  }
}

interface Asked {
  emulator: Emulator
  request: ApiRequest
  operation: Operation
  given: Readonly<Record<string, string>>
}

async function perform(asked: Asked): Promise<Result | Refusal> {
  const { request, operation, given } = asked
  const emulator = worldFor(asked)
  await emulator.ready()
  const { engine } = emulator
  engine.clock.catchUp()
  const json = readBody(request)
  if (json instanceof ApiError) return json
  const params = operation.params?.validate(given)
  const query = (operation.query ?? noQuery).validate(lastOfEach(request.query))
  // No body is the same as one without keys.
  const body = validateBody(operation.body ?? noBody, json.value ?? {})
  const problems = [
    ...repeatedIn(request.query).map(repeated),
    ...[params, query, body].flatMap(problemsOf),
  ]
  if (problems.length > 0) return new Refusal(problems)
  return runControl(operation, {
    emulator,
    engine,
    params: valueOf(params),
    query: valueOf(query),
    body: valueOf(body),
    request,
    operations,
  })
}

/** The world of the key that a header names, or else the emulator's own. */
function worldFor({ emulator, request }: Asked): Emulator {
  const key = request.headers[WORLD_HEADER]
  return key === undefined ? emulator : emulator.world(key)
}

const WORLD_HEADER = 'svtrain-world'

function readBody({ body }: ApiRequest): { value?: unknown } | ApiError {
  if (body === 'too-large') return apiErrors.bodyTooLarge(BODY_LIMIT)
  // Whatever type it claims: `curl -d '{"by": "10m"}'` is to work, and pages of other origins are
  // refused by their origin.
  const read = readJsonBody(body, undefined)
  if (read.kind === 'value') return read
  return read.kind === 'absent' ? {} : new ApiError(400, 'The body is not JSON.')
}

function repeated(name: string): Problem {
  const msg = 'given more than once; pass it once'
  return { type: 'repeated', loc: ['query', name], msg, input: null }
}

function problemsOf(validated: Validated<unknown> | undefined): readonly Problem[] {
  return validated === undefined || validated.ok ? [] : validated.problems
}

function valueOf(validated: Validated<unknown> | undefined): unknown {
  return validated?.ok ? validated.value : undefined
}

const STATUS: Readonly<Record<string, number>> = {
  SVTRAIN_OPTIONS: 400,
  SVTRAIN_REAL_TIME: 409,
  SVTRAIN_NOT_SETTLED: 409,
  SVTRAIN_NOT_ISOLATED: 409,
  SVTRAIN_SNAPSHOT_DAMAGED: 400,
  SVTRAIN_SNAPSHOT_INVALID: 400,
  SVTRAIN_SNAPSHOT_VERSION: 409,
  SVTRAIN_SNAPSHOT_SCENARIO: 409,
  SVTRAIN_SNAPSHOT_ISOLATED: 409,
  SVTRAIN_NOT_FOUND: 404,
  SVTRAIN_UNKNOWN_EVENT: 400,
  SVTRAIN_UNKNOWN_OPERATION: 400,
}

/** What the tool raises for its developer is, on this API, an answer to its client. */
function refusalOf(error: unknown): ApiError {
  const { code = '', message } = error as Error & { code?: string }
  if (Object.hasOwn(STATUS, code)) return new ApiError(STATUS[code]!, message)
  if (error instanceof RangeError) return new ApiError(400, message)
  return new ApiError(500, `The emulator failed to answer this; please report it. ${String(error)}`)
}

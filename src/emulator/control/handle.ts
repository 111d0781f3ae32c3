import { ApiError } from '../../service/contract/errors.js'
import type { ApiRequest, Host, Outcome } from '../../service/contract/exchange.js'
import { encode } from '../../service/api/encode.js'
import type { Operation } from '../../service/api/operation.js'
import { Reply, type Result } from '../../service/api/result.js'
import { readBody, validate, type InputRules } from '../../service/api/input-stages.js'
import {
  createPipeline,
  RequestContext,
  type Answer,
  type MatchedRequest,
  type Next,
} from '../../service/api/pipeline.js'
import { catchUp, run, whenReady } from '../../service/api/stages.js'
import { Router, type MismatchReason } from '../../service/api/route.js'
import type { ScenarioError } from '../../service/scenario/scenario-error.js'
import type { RealTimeError } from '../../base/clock/clock.js'
import type { OptionsError } from '../../base/text/options.js'
import type { UnknownEventError } from '../../webhooks/sending/trigger.js'
import type { NotFoundError } from '../../webhooks/sending/webhooks.js'
import type { Emulator, NotIsolatedError } from '../emulator.js'
import type { SnapshotError } from '../snapshot-error.js'
import type { UnknownOperationError } from '../testing/request-pattern.js'
import type { SettleError } from '../testing/settle.js'
import type { Engine } from '../../service/engine/engine.js'
import { isTooLong, LONGEST_TEXT } from '../../base/text/text-length.js'
import { removedCalls, removedText } from '../../base/text/removed.js'
import { version } from '../../base/text/version.js'
import { refuseStranger, refuseWithoutToken } from './access.js'
import { EMULATOR_HEADER } from './client/call.js'
import { CONTROL_ROOT } from './control-path.js'
import { infoOf } from './info.js'

/** What a control API answers. Many emulators share one. */
interface ControlTable {
  /** The rows of the control API, with those of tools. */
  readonly rows: readonly Operation[]
  /** The rows of both APIs, for the rows that describe them. */
  readonly operations: readonly Operation[]
}

/** The control API as a function. */
export function createControlHandler(emulator: Emulator, { rows, operations }: ControlTable) {
  const router = new Router(rows)

  return function handle(request: ApiRequest, host: Host): Outcome | Promise<Outcome> {
    if (host === 'inference') return marked(encode(refuseInferenceHost(emulator), 'control'))
    const match = router.match(request.method, request.path)
    const context = new ControlContext({ host: 'control', request, match, operations }, emulator)
    const answer = match.kind === 'found' ? answerFound(context) : answerUnmatched(context)
    return answer instanceof Promise ? answer.then(marked) : marked(answer)
  }
}

/** Says whose answer it is. */
function marked(outcome: Outcome): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  return { ...outcome, headers: { ...outcome.headers, [EMULATOR_HEADER]: version } }
}

/** The body says like `GET /info` whose port this is, so that `doctor` knows it. */
function refuseInferenceHost(emulator: Emulator): Reply {
  const { name, training_url, inference_url } = infoOf(emulator)
  const root = new URL(CONTROL_ROOT, training_url).href
  const detail = `This is the inference API. The control API is on the port of the training API: ${root}`
  return new Reply(404, { detail, name, training_url, inference_url })
}

class ControlContext extends RequestContext {
  /** The emulator. The stage `chooseWorld` replaces it by the world of one API key. */
  emulator: Emulator

  constructor(received: MatchedRequest, emulator: Emulator) {
    super(received)
    this.emulator = emulator
  }

  get currentEngine(): Engine {
    return this.emulator.engine
  }
}

/**
 * Refuses everything that a row does not declare, so that no typo is ignored. A body may have any content
 * type, so that `curl -d '{"by": "10m"}'` works. The stage `refuseStrangers` refuses pages of other origins.
 */
const strictInput: InputRules = {
  undeclared: 'refused',
  repeated: 'refused',
  contentType: 'any',
  noBody: 'same as {}',
}

/** What every call of a row passes, in order. It needs no API key, meets no fault and is not recorded. */
const answerFound = createPipeline<ControlContext>([
  refuseStrangers,
  askForToken,
  answerErrors,
  chooseWorld,
  whenReady,
  catchUp,
  readBody(strictInput),
  validate(strictInput),
  run,
])

/** What a call passes that no row matches. */
const answerUnmatched = createPipeline<ControlContext>([
  refuseStrangers,
  (context) => encode(unmatchedResult(context, context.match as MismatchReason), 'control'),
])

/** Refuses web pages and host names that may not call the control API. */
function refuseStrangers(context: ControlContext, next: Next<ControlContext>): Answer {
  const refusal = refuseStranger(context.request, context.emulator.controlAccess)
  return refusal ? encode(refusal, 'control') : next(context)
}

/** Asks for the control token. */
function askForToken(context: ControlContext, next: Next<ControlContext>): Answer {
  const { request, emulator, row } = context
  const refusal = refuseWithoutToken(request, row, emulator.controlAccess)
  return refusal ? encode(refusal, 'control') : next(context)
}

/** Turns what the later stages throw into an answer. */
function answerErrors(context: ControlContext, next: Next<ControlContext>): Answer {
  const refuse = (error: unknown): Outcome => encode(refusalOf(error, context), 'control')
  try {
    const answer = next(context)
    return answer instanceof Promise ? answer.catch(refuse) : answer
  } catch (error) {
    return refuse(error)
  }
}

/** Chooses the world that the `Svtrain-World` header names. */
function chooseWorld(context: ControlContext, next: Next<ControlContext>): Answer {
  const key = context.request.headers[WORLD_HEADER]
  if (key !== undefined) context.emulator = context.emulator.worldCalled(key)
  return next(context)
}

const WORLD_HEADER = 'svtrain-world'

function unmatchedResult({ request }: ControlContext, match: MismatchReason): Result {
  const removed = removedText(removedCalls, `${request.method} ${request.path}`)
  if (removed !== undefined) return new ApiError(410, removed)
  switch (match.kind) {
    case 'redirect':
      // Without its last part, a call for one thing would be the call for all of them.
      return new ApiError(404, `Not found: the path ends in a slash. Nearest: ${match.path}`)
    case 'wrong-method':
      return wrongMethod(request.method, match.methods.toSorted(), match.nearest?.())
    case 'unknown':
      return new ApiError(404, `Not found. Nearest: ${match.nearest?.()}`)
  }
}

function wrongMethod(method: string, methods: readonly string[], nearest?: string): ApiError {
  const hint = nearest === undefined ? '' : ` Nearest: ${nearest}`
  const text = `Not allowed: this path takes ${methods.join(' or ')}, not ${method}.${hint}`
  return new ApiError(405, text, { headers: { allow: methods.join(', ') } })
}

/** The errors that a caller of the control API can cause. */
type RefusedError =
  | NotFoundError
  | NotIsolatedError
  | OptionsError
  | RealTimeError
  | ScenarioError
  | SettleError
  | SnapshotError
  | UnknownEventError
  | UnknownOperationError

/** What only code can cause: it names a seed, or a data folder. */
type OfCode = 'SVTRAIN_SNAPSHOT_SEED' | 'SVTRAIN_SNAPSHOT_TAKEN'

/** The statuses of these errors, by their codes. */
const STATUS: Readonly<Record<Exclude<RefusedError['code'], OfCode>, number>> = {
  SVTRAIN_BAD_SCENARIO: 400,
  SVTRAIN_UNKNOWN_SCENARIO: 400,
  SVTRAIN_OPTIONS: 400,
  SVTRAIN_REAL_TIME: 409,
  SVTRAIN_NOT_SETTLED: 409,
  SVTRAIN_NOT_ISOLATED: 409,
  SVTRAIN_SNAPSHOT_DAMAGED: 400,
  SVTRAIN_SNAPSHOT_INVALID: 400,
  SVTRAIN_SNAPSHOT_VERSION: 409,
  SVTRAIN_SNAPSHOT_SCENARIO: 409,
  SVTRAIN_SNAPSHOT_ISOLATED: 409,
  SVTRAIN_SNAPSHOT_TOO_LARGE: 409,
  SVTRAIN_NOT_FOUND: 404,
  SVTRAIN_UNKNOWN_EVENT: 400,
  SVTRAIN_UNKNOWN_OPERATION: 400,
}

const TOO_LONG = `The answer is too large: it is one text, which can have ${LONGEST_TEXT}. Nothing was changed. Ask for less, or reset the world.`

/** Answers an error with a code that a caller can cause. Any other error is a defect of the emulator. */
function refusalOf(error: unknown, { emulator, request }: ControlContext): ApiError {
  const { code = '', message } = error as Error & { code?: string }
  if (isRefused(code)) return new ApiError(STATUS[code], message)
  if (isTooLong(error)) return new ApiError(409, TOO_LONG)
  const { background } = emulator.journal
  background.report(`answer ${request.method} ${request.path}`, error)
  const reason = background.reasonOf(error)
  return new ApiError(500, `The emulator failed to answer this; please report it. ${reason}`)
}

function isRefused(code: string): code is keyof typeof STATUS {
  return Object.hasOwn(STATUS, code)
}

import { ApiError, apiErrors } from '../../service/contract/errors.js'
import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { encode } from '../../service/api/encode.js'
import { redirectTo } from '../../service/api/handle.js'
import type { Operation, Result } from '../../service/api/operation.js'
import {
  createPipeline,
  RequestContext,
  type Answer,
  type Received,
  type Stages,
} from '../../service/api/pipeline.js'
import { encodePath, Router, type Unmatched } from '../../service/api/route.js'
import type { Emulator } from '../emulator.js'
import type { Engine } from '../../service/engine/engine.js'
import { isTooLong, LONGEST_TEXT } from '../../base/text/json-text.js'
import { refuseStranger, refuseWithoutToken } from './access.js'

/** What a control API answers. Many emulators share one. */
interface ControlTable {
  /** The rows of the control API, with those of tools. */
  readonly rows: readonly Operation[]
  /** The rows of both APIs, for the rows that describe them. */
  readonly operations: readonly Operation[]
}

/** The control API as a function. Its rows run through the same pipeline as the emulated API. */
export function createControlHandler(emulator: Emulator, { rows, operations }: ControlTable) {
  const router = new Router(rows)
  const answer = createPipeline<ControlContext>({
    rows,
    unmatched: { stages: ['access', 'run'], answer: answerUnmatched },
    stages: controlOnly,
  })

  return function handle(request: ApiRequest): Outcome | Promise<Outcome> {
    const match = router.match(request.method, request.path)
    return answer(new ControlContext({ host: 'control', request, match, operations }, emulator))
  }
}

class ControlContext extends RequestContext {
  /** The emulator. The stage `world` replaces it by the world of one API key. */
  emulator: Emulator

  constructor(received: Received, emulator: Emulator) {
    super(received)
    this.emulator = emulator
  }

  get currentEngine(): Engine {
    return this.emulator.engine
  }
}

/** The stages that only rows of the control API have. */
const controlOnly: Stages<ControlContext> = {
  access(context, next) {
    const refusal = refuseStranger(context.request, context.emulator.controlAccess)
    return refusal ? encode(refusal, 'control') : next(context)
  },

  token(context, next) {
    const { request, emulator, row } = context
    const refusal = refuseWithoutToken(request, row, emulator.controlAccess)
    return refusal ? encode(refusal, 'control') : next(context)
  },

  errors(context, next): Answer {
    const refuse = (error: unknown): Outcome => encode(refusalOf(error, context), 'control')
    try {
      const answer = next(context)
      return answer instanceof Promise ? answer.catch(refuse) : answer
    } catch (error) {
      return refuse(error)
    }
  },

  world(context, next) {
    const key = context.request.headers[WORLD_HEADER]
    if (key !== undefined) context.emulator = context.emulator.worldCalled(key)
    return next(context)
  },
}

const WORLD_HEADER = 'svtrain-world'

function answerUnmatched({ request }: ControlContext, match: Unmatched): Result {
  switch (match.kind) {
    case 'redirect':
      return redirectTo(request, encodePath(match.path))
    case 'wrong-method':
      return apiErrors.methodNotAllowed(match.methods.toSorted().join(', '))
    case 'unknown':
      return new ApiError(404, `Not found. Nearest: ${match.nearest}`)
  }
}

/** The statuses of the errors that a caller of the control API can cause, by their codes. */
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
  SVTRAIN_SNAPSHOT_TOO_LARGE: 409,
  SVTRAIN_NOT_FOUND: 404,
  SVTRAIN_UNKNOWN_EVENT: 400,
  SVTRAIN_UNKNOWN_OPERATION: 400,
}

const TOO_LONG = `The answer is too large: it is one text, which can have ${LONGEST_TEXT}. Nothing was changed. Ask for less, or reset the world.`

/** Answers an error with a code that a caller can cause. Any other error is a defect of the emulator. */
function refusalOf(error: unknown, { emulator, request }: ControlContext): ApiError {
  const { code = '', message } = error as Error & { code?: string }
  if (Object.hasOwn(STATUS, code)) return new ApiError(STATUS[code]!, message)
  if (isTooLong(error)) return new ApiError(409, TOO_LONG)
  const { background } = emulator.journal
  background.report(`answer ${request.method} ${request.path}`, error)
  const reason = background.reasonOf(error)
  return new ApiError(500, `The emulator failed to answer this; please report it. ${reason}`)
}

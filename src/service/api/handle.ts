import type { ApiRequest, Host, Outcome } from '../contract/exchange.js'
import type { ContractVersion } from '../contract/versions.js'
import type { Engine } from '../engine/engine.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'
import { decodeBody } from './decode-body.js'
import { encode } from './encode.js'
import type { ContentAddresses } from './platform/content-addresses.js'
import { readBody, validate, type InputRules } from './input-stages.js'
import { createPipeline, RequestContext, type MatchedRequest } from './pipeline.js'
import { record } from './record-stage.js'
import { applyFaults, askForKey, catchUp, run, wake, whenReady } from './stages.js'
import { Router, type MismatchReason } from './route.js'
import { operationsIn } from './table.js'
import { placeElsewhere, unmatchedResult } from './unmatched.js'

/** A path outside the base path. */
const OUTSIDE: MismatchReason = { kind: 'unknown' }

export interface HandlerOptions {
  /** Returns the current engine. It is called for each request, because a reset replaces the engine. */
  engine: () => Engine
  openTrainingData: OpenTrainingData
  /** A prefix of every row's path, without a slash at its end. */
  basePath: string
  /** The contract whose rows are served. */
  contract: ContractVersion
  /** Returns the addresses of contents of the current engine. */
  contents: () => ContentAddresses
  /** The address of an API of this emulator. */
  urlOf: (host: Host) => string
  /** Saves what an answer acknowledges, and returns what the client gets. */
  acknowledged: (outcome: Outcome, host: Host) => Outcome
}

/**
 * The emulated service as a function. It never throws: an error inside becomes a 500 and a journal entry.
 * Most operations answer without a promise.
 */
export function createHandler(options: HandlerOptions) {
  const operations = operationsIn(options.contract)
  const routers = {
    training: new Router(operations.filter(({ host }) => host === 'training')),
    inference: new Router(operations.filter(({ host }) => host === 'inference')),
  }

  return function handle(host: Host, request: ApiRequest): Outcome | Promise<Outcome> {
    const path = withoutPrefix(request.path, options.basePath)
    const match = path === undefined ? OUTSIDE : routers[host].match(request.method, path)
    const context = new ApiContext({ host, request, match, operations }, options)
    if (match.kind === 'found') return answerFound(context)
    if (match.kind !== 'unknown') return answerUnmatched(context)
    context.elsewhere = placeElsewhere({ host, path, request }, { routers, urlOf: options.urlOf })
    return answerUnmatched(context)
  }
}

class ApiContext extends RequestContext {
  readonly openTrainingData: OpenTrainingData
  readonly basePath: string
  /** Where the call belongs, if it is an operation of the other API, or below another base path. */
  elsewhere: string | undefined
  readonly #options: HandlerOptions

  constructor(received: MatchedRequest, options: HandlerOptions) {
    super(received)
    this.openTrainingData = options.openTrainingData
    this.basePath = options.basePath
    this.#options = options
  }

  /** The address of the API as the client used it. */
  get root(): string {
    return this.request.base + this.basePath
  }

  get contents(): ContentAddresses {
    return this.#options.contents()
  }

  get currentEngine(): Engine {
    return this.#options.engine()
  }

  override acknowledged(outcome: Outcome): Outcome {
    return this.#options.acknowledged(outcome, this.host as Host)
  }
}

/** Reads requests as the real framework does. */
const frameworkInput: InputRules = {
  undeclared: 'ignored',
  repeated: 'last counts',
  contentType: 'json',
  noBody: 'missing',
}

/** What every request of a row passes, in order. */
const answerFound = createPipeline<ApiContext>([
  whenReady,
  catchUp,
  wake,
  record,
  decodeBody,
  readBody(frameworkInput),
  askForKey,
  applyFaults,
  validate(frameworkInput),
  run,
])

/** What a request passes that no row matches. */
const answerUnmatched = createPipeline<ApiContext>([
  whenReady,
  catchUp,
  wake,
  record,
  (context) => encode(unmatchedResult(context, context.match as MismatchReason), context.host),
])

function withoutPrefix(path: string, prefix: string): string | undefined {
  if (prefix === '') return path
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined
}

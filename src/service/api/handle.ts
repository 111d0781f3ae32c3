import { isLoopbackName } from '../../base/text/near-address.js'
import { DOCUMENTED_ADDRESSES } from '../../base/text/vendor/hosts.js'
import { apiErrors } from '../contract/errors.js'
import type { ApiRequest, Host, Outcome } from '../contract/exchange.js'
import type { ContractVersion } from '../contract/versions.js'
import type { Engine } from '../engine/engine.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'
import { decodeBody } from './decode-body.js'
import { encode } from './encode.js'
import { Reply, type Result } from './result.js'
import type { ContentAddresses } from './platform/content-addresses.js'
import { readBody, validate, type InputRules } from './input-stages.js'
import { createPipeline, RequestContext, type MatchedRequest } from './pipeline.js'
import { record } from './record-stage.js'
import { applyFaults, askForKey, catchUp, run, wake, whenReady } from './stages.js'
import { encodePath, quote, Router, type MismatchReason } from './route.js'
import { operationsIn } from './table.js'

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
    const other = host === 'training' ? 'inference' : 'training'
    if (path !== undefined && routers[other].match(request.method, path).kind !== 'unknown') {
      const url = addressOf(other, request, options)
      const where = url === undefined ? '' : `, which is at ${url}`
      context.elsewhere = `this is the ${host} API, and the call belongs to the ${other} API${where}`
    }
    context.elsewhere ??= belowOtherBase(routers[host], request)
    return answerUnmatched(context)
  }
}

/** The address of the other API: of the kind by which the client reached this one. */
function addressOf(api: Host, { base }: ApiRequest, { urlOf }: HandlerOptions): string | undefined {
  const { origin, hostname } = new URL(base)
  const isReal = DOCUMENTED_ADDRESSES.some(({ url }) => new URL(url).origin === origin)
  if (isReal) return DOCUMENTED_ADDRESSES.find((each) => each.api === api)?.url
  const isOwn =
    isLoopbackName(hostname) ||
    [urlOf('training'), urlOf('inference')].some((url) => url.startsWith(`${origin}/`))
  return isOwn ? urlOf(api) : undefined
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

/** A path outside the base path. */
const OUTSIDE: MismatchReason = { kind: 'unknown' }

function unmatchedResult(
  { host, request, entry, basePath, elsewhere }: ApiContext,
  match: MismatchReason,
): Result {
  switch (match.kind) {
    case 'redirect':
      return redirectTo(request, basePath + encodePath(match.path))
    case 'wrong-method':
      // The framework names the methods of the first of its routes that has this path.
      return apiErrors.methodNotAllowed(match.methods[0]!)
    case 'unknown':
      entry.hint = elsewhere ?? nearestText(match.nearest?.(), basePath)
      return apiErrors.unknownRoute(host)
  }
}

/** The service itself does not say so: its answer stays as it is. */
function nearestText(nearest: string | undefined, basePath: string): string {
  return nearest === undefined
    ? `every path begins with ${basePath}`
    : `nearest operation: ${nearest}`
}

const BASE = '/v1'
/** The most segments of another base path. */
const MOST_SEGMENTS = 5

/** Many APIs for chats have another base path: `/api/v1`. Says it if the rest of a path is an operation. */
function belowOtherBase(router: Router, { method, path }: ApiRequest): string | undefined {
  for (const { index } of [...path.matchAll(/\//g)].slice(1, MOST_SEGMENTS + 1)) {
    const rest = path.slice(index).replace(/^\/v1(?=\/)/, '')
    const match = router.match(method, BASE + rest)
    if (match.kind !== 'found') continue
    const base = path.slice(0, path.length - rest.length)
    return `the client calls ${method} ${match.operation.path} below ${base}: to answer it there, --intercept takes the address with that path`
  }
  return undefined
}

/** Redirects to a path that differs by slashes at its end. */
function redirectTo({ base, query }: ApiRequest, path: string): Reply {
  const location = base + path + (query && `?${quote(query)}`)
  return new Reply(307, undefined, { location })
}

function withoutPrefix(path: string, prefix: string): string | undefined {
  if (prefix === '') return path
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined
}

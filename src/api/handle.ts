import { apiErrors } from '../contract/errors.js'
import type { ApiRequest, Host, Outcome } from '../contract/exchange.js'
import type { ContractVersion } from '../contract/versions.js'
import type { Engine } from '../engine/engine.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'
import { Reply, type Operation, type Result } from './operation.js'
import { createPipeline, RequestContext, type Received } from './pipeline.js'
import { encodePath, quote, Router, type Unmatched } from './route.js'
import type { ExtensionName } from '../scenario/extensions.js'
import { operations as newest, operationsIn } from './table.js'

export interface HandlerOptions {
  /** Returns the current engine. It is called for each request, because a reset replaces the engine. */
  engine: () => Engine
  openTrainingData: OpenTrainingData
  /** A prefix of every row's path, without a slash at its end. */
  basePath: string
  /** The contract whose rows are served. */
  contract: ContractVersion
}

/**
 * The emulated service as a function. It never throws: an error inside becomes a 500 and a journal entry.
 * Most operations answer without a promise.
 */
export function createHandler(options: HandlerOptions) {
  const operations = operationsIn(options.contract)
  const routers = new Routers(operations)
  const answer = createPipeline<ApiContext>({
    rows: operations,
    unmatched: {
      stages: ['ready', 'clock', 'wake', 'journal', 'run'],
      answer: answerUnmatched,
    },
  })

  return function handle(host: Host, request: ApiRequest): Outcome | Promise<Outcome> {
    const path = withoutPrefix(request.path, options.basePath)
    const router = routers.of(host, options.engine().scenario.extensions)
    const match = path === undefined ? OUTSIDE : router.match(request.method, path)
    return answer(new ApiContext({ host, request, match, operations }, options))
  }
}

/** The routers of both hosts. A set of extension wires gets its router when it is first on. */
class Routers {
  readonly #operations: readonly Operation[]
  readonly #training: Router
  readonly #inference = new Map<string, Router>()

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
    this.#training = new Router(operations.filter(({ host }) => host === 'training'))
  }

  of(host: Host, extensions: readonly ExtensionName[]): Router {
    if (host === 'training') return this.#training
    const set = extensions.length === 0 ? '' : [...new Set(extensions)].sort().join(' ')
    const known = this.#inference.get(set)
    if (known) return known
    const router = new Router(
      this.#operations.filter(({ host: on, extension }) => {
        return on === 'inference' && (extension === undefined || extensions.includes(extension))
      }),
    )
    this.#inference.set(set, router)
    return router
  }
}

class ApiContext extends RequestContext {
  readonly openTrainingData: OpenTrainingData
  readonly basePath: string
  readonly #engine: () => Engine

  constructor(received: Received, { engine, openTrainingData, basePath }: HandlerOptions) {
    super(received)
    this.openTrainingData = openTrainingData
    this.basePath = basePath
    this.#engine = engine
  }

  get currentEngine(): Engine {
    return this.#engine()
  }
}

/** A path outside the base path. */
const OUTSIDE: Unmatched = { kind: 'unknown' }

function answerUnmatched({ host, request, entry, basePath }: ApiContext, match: Unmatched): Result {
  switch (match.kind) {
    case 'redirect':
      return redirectTo(request, basePath + encodePath(match.path))
    case 'wrong-method':
      // The framework names the methods of the first of its routes that has this path.
      return apiErrors.methodNotAllowed(match.methods[0]!)
    case 'unknown':
      entry.hint =
        match.nearest === undefined
          ? `every path begins with ${basePath}`
          : (extensionHint({ host, request, basePath }) ?? `nearest operation: ${match.nearest}`)
      return apiErrors.unknownRoute(host)
  }
}

/** The hint for the path of an extension wire that this host does not serve. */
function extensionHint({
  host,
  request: { path },
  basePath,
}: Pick<ApiContext, 'host' | 'request' | 'basePath'>): string | undefined {
  const inside = withoutPrefix(path, basePath)?.replace(/\/$/, '')
  const found = newest.find((row) => row.extension !== undefined && row.path === inside)
  if (!found) return undefined
  const { method, path: own, extension } = found
  const on = `with --extensions ${extension}, or with \`extensions\` of the scenario or of createEmulator`
  if (host === 'inference')
    return `${method} ${own} is an extension, which is off: turn it on ${on}`
  return `${method} ${own} is an extension of the inference host; send it there, and turn it on ${on}`
}

/** Redirects to a path that differs by slashes at its end. */
export function redirectTo({ base, query }: ApiRequest, path: string): Reply {
  const location = base + path + (query && `?${quote(query)}`)
  return new Reply(307, undefined, { location })
}

function withoutPrefix(path: string, prefix: string): string | undefined {
  if (prefix === '') return path
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined
}

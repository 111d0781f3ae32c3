// What a call gets that no row matches, and what the journal says about it.
import { isLoopbackName } from '../../base/text/near-address.js'
import { DOCUMENTED_ADDRESSES } from '../../base/text/vendor/hosts.js'
import { apiErrors } from '../contract/errors.js'
import type { ApiRequest, Host } from '../contract/exchange.js'
import type { RequestContext } from './pipeline.js'
import { Reply, type Result } from './result.js'
import { encodePath, quote, type MismatchReason, type Router } from './route.js'

interface UnmatchedCall {
  readonly host: Host
  /** Below the base path. Undefined: the call is outside of it. */
  readonly path: string | undefined
  readonly request: ApiRequest
}

interface ServedApis {
  readonly routers: Readonly<Record<Host, Router>>
  /** The address of an API of this emulator. */
  readonly urlOf: (host: Host) => string
}

/** Where a call belongs that no row matches: to the other API, or below another base path. Undefined: nobody knows. */
export function placeElsewhere(
  { host, path, request }: UnmatchedCall,
  { routers, urlOf }: ServedApis,
): string | undefined {
  const other = host === 'training' ? 'inference' : 'training'
  if (path === undefined || routers[other].match(request.method, path).kind === 'unknown') {
    return belowOtherBase(routers[host], request)
  }
  const url = addressOf(other, request, urlOf)
  const where = url === undefined ? '' : `, which is at ${url}`
  return `this is the ${host} API, and the call belongs to the ${other} API${where}`
}

/** The address of the other API: of the kind by which the client reached this one. */
function addressOf(
  api: Host,
  { base }: ApiRequest,
  urlOf: ServedApis['urlOf'],
): string | undefined {
  const { origin, hostname } = new URL(base)
  const isReal = DOCUMENTED_ADDRESSES.some(({ url }) => new URL(url).origin === origin)
  if (isReal) return DOCUMENTED_ADDRESSES.find((each) => each.api === api)?.url
  const isOwn =
    isLoopbackName(hostname) ||
    [urlOf('training'), urlOf('inference')].some((url) => url.startsWith(`${origin}/`))
  return isOwn ? urlOf(api) : undefined
}

interface UnmatchedContext extends Pick<RequestContext, 'host' | 'request' | 'entry'> {
  readonly basePath: string
  readonly elsewhere: string | undefined
}

/** The answer to such a call. The journal says more. */
export function unmatchedResult(
  { host, request, entry, basePath, elsewhere }: UnmatchedContext,
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

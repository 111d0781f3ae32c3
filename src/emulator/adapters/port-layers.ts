import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import { CONTROL_ROOT, isControlPath } from '../control/control-path.js'
import { dashboardFiles, isDashboardPath } from './dashboard-files.js'
import { hostHandler } from './host-handler.js'
import type { Layer, Middleware } from './port-app.js'
import { createGate, type GateOptions } from './gate.js'
import { writeError, type Handler } from './node-http.js'
import { printedPages } from './printed-pages.js'

/** A request that the port refused before it reached the API. */
export interface Refusal {
  /** Its method and path: `GET /v1/health`. */
  readonly request: string
  /** The HTTP status of the refusal. */
  readonly status: number
  /** Why it was refused, in words. */
  readonly message: string
}

/** What users say about the layers of a port. */
export interface LayerOptions extends GateOptions {
  /** Express middleware that runs before the API, on both ports. */
  use?: readonly Middleware[]
  /**
   * Called for each request that is refused because of its `Host` or `Origin`. The journal does not
   * contain these requests.
   */
  refused?: (refusal: Refusal) => void
}

/** What else the layers depend on. */
export interface LayerParts {
  /** Whether this port has the control API and the dashboard. Default: false. */
  isControlled?: boolean
  /** Takes the errors of answers that cannot be made or written. Default: the process warns of them. */
  background?: BackgroundErrors
  /** Takes contents that are uploaded. Default: all bodies are read into memory. */
  receive?: ReceiveContent
}

/** The layers that a request passes, in order. */
export async function layersOf(
  handler: Handler,
  api: Host,
  options: LayerOptions & LayerParts,
): Promise<Layer[]> {
  const { corsOrigins = [], use = [], isControlled = false } = options
  const { background, receive } = options
  const answer = hostHandler(handler, api, { background, receive })
  return [
    { handle: gateLayer(api, options) },
    ...(corsOrigins.length > 0 ? [{ handle: await corsLayer(corsOrigins) }] : []),
    ...use.map((handle) => ({ handle })),
    ...(isControlled ? [{ path: CONTROL_ROOT, handle: await dashboardFiles() }] : []),
    { handle: answer },
  ]
}

/** Refuses requests from web pages of other origins. */
function gateLayer(api: Host, options: LayerOptions & LayerParts): Middleware {
  const refuse = createGate(options)
  return (request, response, next) => {
    const { url = '' } = request
    // The control API has a stricter gate of its own. The options of this gate don't change it.
    if (options.isControlled === true && url.startsWith(CONTROL_ROOT) && isControlCall(url)) {
      return next()
    }
    const refusal = refuse(request)
    // In this layer, because each layer makes each call slower.
    if (!refusal) return options.isControlled ? printedPages(request, response, next) : next()
    const { status, message } = refusal
    options.refused?.({ request: `${request.method} ${url}`, status, message })
    // Reads the request to its end, so that the client receives the answer.
    request.resume()
    writeError(response, refusal, api)
  }
}

function isControlCall(url: string): boolean {
  const path = url.split('?', 1)[0]!
  return isControlPath(path) && !isDashboardPath(path)
}

/** Adds the CORS headers for web pages of the allowed origins. */
async function corsLayer(origins: readonly string[]): Promise<Middleware> {
  const { default: cors } = await import('cors')
  const layer = cors({ origin: origins.includes('*') ? '*' : [...origins] })
  // No web page of another origin may call the control API.
  return (request, response, next) => {
    if (isControlPath((request.url ?? '').split('?', 1)[0]!)) next()
    else layer(request, response, next)
  }
}

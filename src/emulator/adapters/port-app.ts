import {
  IncomingMessage,
  ServerResponse,
  type RequestListener,
  type ServerOptions,
} from 'node:http'

/** Express middleware, typed with Node's own request and response. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Creates the Express application behind a port. A request passes its layers in order. An API call passes
 * two of them, the gate and the API, and on the port with the control API a third one.
 */
export async function createApp(layers: readonly Layer[]): Promise<App> {
  const { default: express } = await import('express')
  const app = express()
  // The service has no such headers, and its paths are case-sensitive.
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing')
  for (const { path, handle } of layers) {
    if (path === undefined) app.use(handle)
    else app.use(path, handle)
  }
  return { listener: app, options: withOwnClasses(app) }
}

/** One layer of a port. */
export interface Layer {
  /** Only requests at this path or below it pass through. Default: all of them. */
  path?: string
  handle: Middleware
}

export interface App {
  listener: RequestListener
  /** Options for `createServer`. */
  options: ServerOptions
}

/**
 * Express replaces the prototype of each request and response with its own, which is slow on Node 20 and
 * 22. Here both have Express's prototype from the start, so that replacing it changes nothing. Measured as
 * a share of the calls that a bare `node:http` server answers: 0.12 → 0.68 on Node 20, and 0.96 → 0.99
 * on Node 24.
 */
function withOwnClasses(app: {
  request: object
  response: object
}): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, app.request)
  Object.setPrototypeOf(Response.prototype, app.response)
  app.request = Request.prototype
  app.response = Response.prototype
  return { IncomingMessage: Request, ServerResponse: Response }
}

import {
  IncomingMessage,
  ServerResponse,
  type RequestListener,
  type ServerOptions,
} from 'node:http'
import type { Host } from '../contract/exchange.js'
import { checkArgument, oneOf } from '../world/options.js'
import { answer, write, type Handler } from './node-http.js'
import { writeTogether } from './write-together.js'

/** Express middleware, in the terms of Node alone. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * The emulator as a handler to mount in an Express app of your own:
 * `app.use('/svtrain', expressHandler(emulator))`. It answers everything below its mount point, so
 * what should come first must be added first. Give it no body parser: it wants the raw bytes. Throws
 * `OptionsError` for an unknown host.
 */
export function expressHandler(
  emulator: { handle: Handler },
  host: Host = 'training',
): (request: IncomingMessage, response: ServerResponse) => void {
  checkArgument('expressHandler', {
    name: 'host',
    value: host,
    kind: oneOf('training', 'inference'),
  })
  const send = writeTogether(write)
  return (request, response) => answer(emulator.handle, host, { request, response, send })
}

/**
 * A Node listener for one host. With middleware it is an Express application that ends in the API;
 * without any, the API answers by itself, because Express's chain costs half of the requests that a
 * bare server can answer (on Node 20 it reached 0.17 of `node:http` out of the box).
 */
export async function createListener(
  handler: Handler,
  host: Host,
  middleware: readonly Middleware[],
): Promise<{ listener: RequestListener; options: ServerOptions }> {
  const api = expressHandler({ handle: handler }, host)
  if (middleware.length === 0) return { listener: api, options: {} }
  const { default: express } = await import('express')
  const app = express()
  app.disable('x-powered-by')
  for (const layer of middleware) app.use(layer)
  app.use(api)
  return { listener: app, options: prototypesOf(app) }
}

/**
 * Express 5 swaps the prototype of each request and response for its own, which V8 before the
 * version of Node 24 answers by giving up on the objects' shape (0.17 → 0.45 of `node:http` where
 * they have it from birth; on Node 24 the same costs a fifth, hence the gate).
 */
function prototypesOf(app: { request: object; response: object }): ServerOptions {
  if (Number(process.versions.node.split('.')[0]) >= 24) return {}
  return {
    IncomingMessage: bornAs(IncomingMessage, app.request),
    ServerResponse: bornAs(ServerResponse, app.response),
  }
}

function bornAs<T extends typeof IncomingMessage | typeof ServerResponse>(
  base: T,
  prototype: object,
): T {
  function Born(...args: unknown[]): unknown {
    return Reflect.construct(base as never, args, Born)
  }
  Born.prototype = prototype
  return Born as unknown as T
}

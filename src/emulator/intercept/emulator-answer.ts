import { hostHandler, type Receiving } from '../adapters/host-handler.js'
import type { Handler } from '../adapters/node-http.js'
import { insideOf, noRouteText } from '../adapters/routes.js'
import { writeText, type Answer } from './answer.js'

/** What an interceptor needs of an emulator. */
export interface InterceptingEmulator {
  readonly handle: Handler
  /** A key that it accepts. */
  readonly apiKey: string
  /** The path before `/v1`. */
  readonly basePath: string
  readonly receive: Receiving['receive']
  readonly journal: { readonly background: Receiving['background'] }
}

/** Answers calls to the real hosts of a service with an emulator. */
export function answerOf({
  handle,
  basePath,
  receive,
  journal,
}: Omit<InterceptingEmulator, 'apiKey'>): Answer {
  const receiving = { background: journal.background, receive }
  const handlers = {
    training: hostHandler(handle, 'training', receiving),
    inference: hostHandler(handle, 'inference', receiving),
  }
  return ({ routes, route, path, request, response }) => {
    const [pathname = ''] = path.split('?', 1)
    if (route) {
      const { mount, host } = route
      const inside = insideOf(route, pathname, basePath)
      // Express does the same for an app that is mounted at a path.
      Object.assign(request, { url: inside + path.slice(mount.length) || '/', baseUrl: mount })
      handlers[host](request, response)
    } else {
      request.resume()
      writeText(response, 404, noRouteText(routes, pathname))
    }
    return 'answered'
  }
}

// The whole namespace, because its members show the version.
import * as msw from 'msw'
import type { HttpHandler } from 'msw'
import { handlersFrom, type HandlersOptions, type Mocked } from './msw-handlers.js'

export type { HandlersOptions, Mocked } from './msw-handlers.js'
export { sinkHandler } from './sink-msw.js'

const create = handlersFrom<HttpHandler>(msw)

/**
 * Creates MSW handlers, one for each host of an emulator. They answer requests to those two addresses
 * and no others. A third handler passes the emulator's own webhooks through.
 *
 * @param emulator The emulator that answers.
 * @param options The base URLs that the code under test calls.
 * @returns Handlers for `setupServer` or `setupWorker`.
 * @throws {OptionsError} When an option is unknown or can't be used.
 * @example
 * const server = setupServer(...handlers(createEmulator()))
 */
export function handlers(emulator: Mocked, options: HandlersOptions = {}): HttpHandler[] {
  return create(emulator, options)
}

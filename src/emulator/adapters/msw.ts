// The whole namespace, because its members show the version.
import * as msw from 'msw'
import type { HttpHandler } from 'msw'
import type { HandlersOptions } from './handlers-options.js'
import { handlersFrom, type Mocked } from './msw-handlers.js'

export type { HandlersOptions } from './handlers-options.js'
export type { Mocked } from './msw-handlers.js'
export type { ServiceHosts } from './routes.js'
export { sinkHandler } from './sink-msw.js'

const create = handlersFrom<HttpHandler>(msw)

/**
 * Creates MSW handlers, one for each host of an emulator, and one for the `hosts` of a real service. They answer
 * requests to those addresses and no others. The last handler passes the emulator's own webhooks through.
 *
 * @param emulator The emulator that answers.
 * @param options The base URLs that the code under test calls, or the hosts that it names.
 * @returns Handlers for `setupServer` or `setupWorker`.
 * @throws {OptionsError} When there is no emulator, or an option is unknown or can't be used.
 * @example
 * const server = setupServer(...handlers(createEmulator(), { hosts: 'documented' }))
 */
export function handlers(emulator: Mocked, options: HandlersOptions = {}): HttpHandler[] {
  return create(emulator, options)
}

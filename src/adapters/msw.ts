// All of it, for what it has tells its version.
import * as msw from 'msw'
import type { HttpHandler } from 'msw'
import { handlersFrom, type HandlersOptions, type Mocked } from './msw-handlers.js'

export type { HandlersOptions, Mocked } from './msw-handlers.js'
export { sinkHandler } from './sink-msw.js'

const create = handlersFrom<HttpHandler>(msw)

/**
 * MSW handlers, one for each host: `setupServer(...handlers(emulator))`. They answer what is sent to
 * those two addresses, and nothing else; a third lets through what the emulator itself sends.
 */
export function handlers(emulator: Mocked, options: HandlersOptions = {}): HttpHandler[] {
  return create(emulator, options)
}

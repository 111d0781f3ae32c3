import type { IncomingMessage, ServerResponse } from 'node:http'
import { anEmulator, checkArgument, oneOf } from '../../base/text/options.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import { hostHandler, type Receiving } from './host-handler.js'
import type { Handler } from './node-http.js'

/**
 * Creates a handler that mounts the emulator in an Express app of your own. It answers every request
 * below its mount point, so add other handlers first. Don't put a body parser in front of it: it reads
 * the raw bytes.
 *
 * @param emulator The emulator that answers.
 * @param host The API that is mounted. Default: `training`.
 * @returns A handler for `app.use`.
 * @throws {OptionsError} When there is no emulator, or `host` is unknown.
 * @example
 * import express from 'express'
 *
 * const app = express()
 * app.use('/svtrain', expressHandler(createEmulator()))
 */
export function expressHandler(
  emulator: MountedEmulator,
  host: Host = 'training',
): (request: IncomingMessage, response: ServerResponse) => void {
  checkArgument('expressHandler', { name: 'emulator', value: emulator, kind: anEmulator })
  checkArgument('expressHandler', {
    name: 'host',
    value: host,
    kind: oneOf('training', 'inference'),
  })
  const { handle, journal, receive } = emulator
  return hostHandler(handle, host, { background: journal?.background, receive })
}

/** What `expressHandler` needs: an emulator. */
interface MountedEmulator {
  /** Answers a request. */
  readonly handle: Handler
  /** @internal */
  readonly receive?: ReceiveContent
  /** @internal */
  readonly journal?: Pick<Receiving, 'background'>
}

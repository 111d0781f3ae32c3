import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { ReceiveContent } from '../../service/contract/content.js'
import type { Host } from '../../service/contract/exchange.js'
import { coalesceWrites } from './coalesce-writes.js'
import { answer, type Handler } from './node-http.js'
import { safeWrite } from './write-outcome.js'

/** What a handler needs besides a function that answers. */
export interface Receiving {
  /** Takes the errors of answers that cannot be made or written. */
  readonly background: BackgroundErrors | undefined
  /** Takes contents that are uploaded. */
  readonly receive: ReceiveContent | undefined
}

/** Creates a handler that answers all requests as one host. */
export function hostHandler(
  handle: Handler,
  host: Host,
  { background, receive }: Receiving,
): (request: IncomingMessage, response: ServerResponse) => void {
  const send = coalesceWrites(safeWrite(background))
  return (request, response) => {
    answer(handle, host, { request, response, send, background, receive })
  }
}

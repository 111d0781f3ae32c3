import type { Duplex } from 'node:stream'
import { hostName } from '../../base/text/authority.js'
import { writeRefusal } from '../adapters/unusual-requests.js'
import type { Destination } from './outside.js'

/** The answer to a request for a tunnel that is open. */
export const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'

/** How a client has to say the password of the proxy. */
export const BASIC = 'Basic realm="svtrain-emulator"'

/** The host and the port that a tunnel is asked for. */
export function destinationOf(authority: string): Destination | undefined {
  const [, name, port] = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+):(\d{1,5})$/i.exec(authority) ?? []
  if (name === undefined || Number(port) > 65_535) return undefined
  const hostname = hostName(name)
  return hostname === '' ? undefined : { hostname, port: Number(port) }
}

/**
 * Answers a request for a tunnel, and closes the connection. What the client sent ahead is dropped: unread, it would
 * hide that the client left. Clients print the reason of the status line, and few print the body.
 */
export function refuseTunnel(socket: Duplex, status: number, text: string): void {
  const reason = text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON)
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 407 && { 'proxy-authenticate': BASIC }),
    connection: 'close',
  }
  socket.resume().once('finish', () => socket.destroy())
  writeRefusal(socket, { status, reason, headers, body: `${text}\n` })
}

const LONGEST_REASON = 400

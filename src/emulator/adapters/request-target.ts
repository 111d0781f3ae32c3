import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'

/** Splits the target of a request as the server of the framework does. Undefined if it refuses the target. */
export function splitTarget(whole: string): [path: string, query: string] | undefined {
  const hash = whole.indexOf('#')
  const target = hash === -1 ? whole : whole.slice(0, hash)
  // A request to a proxy has the whole URL. Only its path matters here.
  const local = target.startsWith('/') ? target : withoutOrigin(target)
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  if (!isPath(path)) return undefined
  return [path, mark === -1 ? '' : local.slice(mark + 1)]
}

function withoutOrigin(target: string): string {
  const origin = ORIGIN.exec(target)
  return origin && isPort(origin[1]) ? target.slice(origin[0].length) : target
}

/** Each part ends at a character that the part does not have, so a match takes linear time. */
const ORIGIN =
  /^[a-z]+:\/\/(?:[\w.!~*'();:&=+$,%-]*@)?(?:[a-z0-9.-]+|\[[a-f0-9:.]+\])(?::(\d+))?(?=\/)/i

/** Whether a port can exist. An authority may have none. */
function isPort(port = ''): boolean {
  return Number(port) < 65_536
}

/** `OPTIONS *` has a path too. Only ASCII characters are in one. */
function isPath(path: string): boolean {
  return (path.startsWith('/') || path === '*') && /^[\0-\x7f]*$/.test(path)
}

/** The address at which a client called the emulator: scheme, authority and mount point. */
export function baseOf(request: IncomingMessage & { baseUrl?: string; protocol?: string }): string {
  const { headers, socket, baseUrl = '' } = request
  // Express sets `protocol`, which may come from a proxy, and `baseUrl`, the mount point.
  const scheme = request.protocol ?? ((socket as Partial<TLSSocket>).encrypted ? 'https' : 'http')
  return `${scheme}://${authorityOf(headers.host) ?? addressOf(socket)}${baseUrl}`
}

/** The host and the port of a `Host` header. Undefined without a header, or if it is not valid. */
function authorityOf(header = ''): string | undefined {
  const authority = AUTHORITY.exec(header)
  return authority && isPort(authority[1]) ? header : undefined
}

const AUTHORITY = /^(?:[\w.~%!$&'()*+,;=-]+|\[[a-f0-9:.]+\])(?::(\d+))?$/i

/** The address that received the request. */
function addressOf({ localAddress = 'localhost', localPort }: IncomingMessage['socket']): string {
  const host = localAddress.replace(/^::ffff:/, '')
  const name = host.includes(':') ? `[${host}]` : host
  return localPort === undefined ? name : `${name}:${localPort}`
}

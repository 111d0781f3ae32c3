import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopbackName, nameOf } from '../text/authority.js'
import { ApiError } from '../contract/errors.js'

export interface GateOptions {
  /** Host names, besides loopback ones and IP addresses, under which a port may be called. */
  allowedHosts?: readonly string[]
  /** Origins of web pages that may call a port; `*` for all. */
  corsOrigins?: readonly string[]
}

/**
 * Keeps strangers' web pages away from a port: a page whose host name was re-pointed to this machine
 * calls it by that name, and a page of another origin says so. Clients that are no browsers send no
 * `Origin`, and call it by address or a loopback name.
 */
export function createGate({ allowedHosts = [], corsOrigins = [] }: GateOptions) {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const origins = new Set(corsOrigins)

  return function refuse({ headers }: IncomingMessage): ApiError | undefined {
    const authority = headers.host ?? ''
    const name = nameOf(authority)
    if (!isLoopbackOrAddress(name) && !hosts.has(name)) {
      return new ApiError(
        403,
        `Host "${name}" is not allowed. Start the emulator with --allow-host ${name} to allow it.`,
      )
    }
    const { origin } = headers
    if (origin === undefined || origin === `http://${authority}`) return undefined
    if (origins.has(origin) || origins.has('*')) return undefined
    return new ApiError(
      403,
      `Origin "${origin}" is not allowed. Start the emulator with --cors ${origin} to allow it.`,
    )
  }
}

function isLoopbackOrAddress(name: string): boolean {
  // An HTTP/1.0 client names no host; a web page always does.
  return name === '' || isLoopbackName(name) || isIP(name) !== 0
}

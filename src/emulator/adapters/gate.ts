import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { newSecret } from '../../base/random/secret.js'
import { isListedHost, hostOfHeader } from '../../base/text/authority.js'
import { isLoopback, isLoopbackName } from '../../base/text/near-address.js'
import { ApiError } from '../../service/contract/errors.js'
import type { ControlAccess } from '../emulator.js'

export interface GateOptions {
  /**
   * Host names that clients may use to call a port, besides loopback names and IP addresses. `.example.com`
   * stands for all names below it. Default: none.
   */
  allowedHosts?: readonly string[]
  /** Origins of web pages that may call a port. `*` allows all of them. Default: none. */
  corsOrigins?: readonly string[]
}

/**
 * Creates the check that refuses requests from web pages of other sites. Such a page sends its own
 * `Origin`, or calls the port by a host name that somebody pointed to this machine. Clients other than
 * browsers send no `Origin`, and call the port by an address or a loopback name.
 */
export function createGate({ allowedHosts = [], corsOrigins = [] }: GateOptions) {
  const origins = new Set(corsOrigins)

  return function refuse({ headers }: IncomingMessage): ApiError | undefined {
    const authority = headers.host ?? ''
    const name = hostOfHeader(authority)
    if (!isLoopbackOrAddress(name) && !isListedHost(name, allowedHosts)) {
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
  // An HTTP/1.0 client sends no host. A web page always sends one.
  return name === '' || isLoopbackName(name) || isIP(name) !== 0
}

interface ControlExposure {
  /** The address that is bound. */
  host: string
  controlToken?: string | undefined
  allowedHosts?: readonly string[] | undefined
}

/**
 * Decides who may use the control API of a port. If other machines can reach the port, calls that change
 * something need a token. Without one in the options, a random token is created.
 */
export function controlAccess({
  host,
  controlToken,
  allowedHosts,
}: ControlExposure): ControlAccess {
  const beyondLoopback = !isLoopback(host)
  const token = controlToken ?? (beyondLoopback ? newSecret() : undefined)
  return { token, allowedHosts, beyondLoopback }
}

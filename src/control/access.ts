import { isLoopbackName, nameOf } from '../text/authority.js'
import { ApiError } from '../contract/errors.js'
import type { ApiRequest } from '../contract/exchange.js'
import type { Operation } from '../api/operation.js'
import type { ControlAccess } from '../emulator/emulator.js'

const BEARER = /^bearer +(\S+)$/i
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)$/

/**
 * Keeps strangers out. A web page whose host name was re-pointed to this machine calls by that name,
 * and one of another origin says so, or its browser does; other clients send neither.
 */
export function refuseStranger(
  { headers }: ApiRequest,
  { allowedHosts = [], beyondLoopback = false }: ControlAccess,
): ApiError | undefined {
  const { host, origin } = headers
  const name = nameOf(host ?? '')
  const known =
    // An HTTP/1.0 client names no host; a web page always does.
    name === '' ||
    isLoopbackName(name) ||
    IN_PROCESS.test(name) ||
    (beyondLoopback && ADDRESS.test(name)) ||
    allowedHosts.some((allowed) => allowed.toLowerCase() === name)
  if (!known) return new ApiError(403, `Host "${name}" may not use the control API.`)
  if (origin !== undefined && origin !== `http://${host}`) {
    return new ApiError(403, `Origin "${origin}" may not use the control API; no other origin may.`)
  }
  const from = headers['sec-fetch-site']
  const elsewhere = from === 'cross-site' || from === 'same-site'
  // A link to the dashboard may stand anywhere.
  if (!elsewhere || headers['sec-fetch-dest'] === 'document') return undefined
  return new ApiError(403, 'Web pages of other origins may not use the control API.')
}

/** The names that the two hosts have without a port. Of this top-level domain none can be bought. */
const IN_PROCESS = /^(?:training|inference)\.svtrain\.test$/

/** Asks for the token where one is needed. */
export function refuseWithoutToken(
  { headers, distant = false }: ApiRequest,
  { auth }: Operation,
  { token }: ControlAccess,
): ApiError | undefined {
  if (auth !== 'control-token') return undefined
  if (token === undefined) {
    if (!distant) return undefined
    return new ApiError(403, 'From another machine, this needs a control token, and none is set.')
  }
  const given = BEARER.exec(headers.authorization ?? '')?.[1] ?? ''
  if (isSame(given, token)) return undefined
  return new ApiError(401, 'This call needs the control token, as Authorization: Bearer <token>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length
  for (let i = 0; i < token.length; i++) difference |= given.charCodeAt(i) ^ token.charCodeAt(i)
  return difference === 0
}

import { isListedHost, hostOfHeader } from '../../base/text/authority.js'
import { isLoopbackName } from '../../base/text/near-address.js'
import { ApiError } from '../../service/contract/errors.js'
import type { ApiRequest } from '../../service/contract/exchange.js'
import type { Operation } from '../../service/api/operation.js'
import type { ControlAccess } from '../emulator.js'
import { IN_PROCESS } from '../in-process.js'

const BEARER = /^bearer +(\S+)$/i
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)$/

/**
 * Refuses web pages that may not use the control API. A page whose host name was changed to point to this
 * machine sends that name as `Host`. For a page of another origin, the browser sends that origin. Other
 * clients send neither.
 */
export function refuseStranger(
  { headers }: ApiRequest,
  { allowedHosts = [], beyondLoopback = false }: ControlAccess,
): ApiError | undefined {
  const { host, origin } = headers
  const name = hostOfHeader(host ?? '')
  const isKnown =
    // An HTTP/1.0 client sends no host; a web page always does.
    name === '' ||
    isLoopbackName(name) ||
    NAMES_IN_PROCESS.includes(name) ||
    (beyondLoopback && ADDRESS.test(name)) ||
    isListedHost(name, allowedHosts)
  if (!isKnown) return new ApiError(403, `Host "${name}" may not use the control API.`)
  if (origin !== undefined && origin !== `http://${host}`) {
    return new ApiError(403, `Origin "${origin}" may not use the control API; no other origin may.`)
  }
  const from = headers['sec-fetch-site']
  const elsewhere = from === 'cross-site' || from === 'same-site'
  // Any page may link to the dashboard.
  if (!elsewhere || headers['sec-fetch-dest'] === 'document') return undefined
  return new ApiError(403, 'Web pages of other origins may not use the control API.')
}

/** The names of the two hosts without a port. */
const NAMES_IN_PROCESS = Object.values(IN_PROCESS).map((origin) => new URL(origin).hostname)

/** Refuses a call without the control token, if the row and the emulator ask for it. */
export function refuseWithoutToken(
  { headers, distant = false }: ApiRequest,
  { auth }: Operation,
  { token }: ControlAccess,
): ApiError | undefined {
  if (auth !== 'control-token') return undefined
  if (token === undefined) {
    if (!distant) return undefined
    return new ApiError(403, 'A call from another machine needs a control token, and none is set.')
  }
  const sent = BEARER.exec(headers.authorization ?? '')?.[1] ?? ''
  if (isSame(sent, token)) return undefined
  return new ApiError(401, 'This call needs the control token, as Authorization: Bearer <token>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** Compares secrets in constant time. */
export function isSame(sent: string, token: string): boolean {
  let difference = sent.length ^ token.length
  for (let i = 0; i < token.length; i++) difference |= sent.charCodeAt(i) ^ token.charCodeAt(i)
  return difference === 0
}

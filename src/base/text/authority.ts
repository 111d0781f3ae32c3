import { toBase64 } from './bytes.js'
import { valueKind } from './options.js'

/** Returns the host name of a `Host` header, in lower case, without port and brackets. */
export function hostOfHeader(authority: string): string {
  return withoutBrackets(authority.toLowerCase().replace(/:\d*$/, ''))
}

/**
 * The one normal form of a host: in lower case and ASCII, without brackets, zone and last dot. An address is written as
 * URLs write it, also if it was in octal, in hex or short: resolvers take all of these.
 */
export function hostName(host: string): string {
  if (USUAL.test(host)) return host
  const inside = withoutBrackets(host)
  const isAddress = inside.includes(':')
  const bare = isAddress ? inside.replace(/%.*$/s, '') : inside
  const url = `http://${isAddress ? `[${bare}]` : bare}/`
  const known = !NOT_IN_A_HOST.test(bare) && URL.canParse(url) ? new URL(url).hostname : bare
  return withoutBrackets(known.toLowerCase()).replace(/\.$/, '')
}

/** Most hosts are in their normal form. A name whose last part begins with a digit may be an address. */
const USUAL = /^(?:(?:[a-z\d_-]+\.)*[a-z_][a-z\d_-]*|(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){3})$/
/** What ends the host of a URL, or is left out of it. */
const NOT_IN_A_HOST = /[\s/?#@\\%]/

/** Removes the brackets of an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** What names hosts in a list. */
export const aListedHost = valueKind(
  'a host name without scheme or port, such as emulator.test, or .example.com for all below it',
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
)

/** Whether a list of host names has a name, in any case. `.example.test` stands for all names below it. */
export function isListedHost(name: string, list: readonly string[]): boolean {
  const host = name.toLowerCase()
  return list.some((listed) => {
    const each = listed.toLowerCase()
    return each.startsWith('.') ? host.endsWith(each) : host === each
  })
}

/** What a header says of the user and the password of a URL. Undefined: it has neither. */
export function loginOf({ username, password }: URL): string | undefined {
  if (username + password === '') return undefined
  const login = `${decoded(username)}:${decoded(password)}`
  return `Basic ${toBase64(new TextEncoder().encode(login))}`
}

/** A URL without its user and its password: fetch refuses one with them. */
export function withoutLogin(url: string | URL): URL {
  return Object.assign(new URL(url), { username: '', password: '' })
}

/** A `%` that escapes nothing stands for itself. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

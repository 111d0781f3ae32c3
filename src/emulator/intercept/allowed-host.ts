import { aListedHost } from '../../base/text/authority.js'

/** What allows a call to another host, as errors say it. */
export const ALLOWED_HOST =
  'a host name without scheme or port, .example.com for all below it, or all'

const IPV6 = /^\[?[\da-f.]*:[\da-f.]*:[\da-f:.]*\]?$/i

/** Whether a text can name a host that is called. Others would never match. */
export function isAllowedHost(text: string): boolean {
  return aListedHost.accepts(text) || IPV6.test(text)
}

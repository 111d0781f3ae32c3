import { aListedHost, withoutBrackets } from '../../base/text/authority.js'

/** What allows a call to another host, as errors say it. */
export const ALLOWED_HOST =
  'a host name without scheme or port, .example.com for all below it, or all'

/** Whether a text can name a host that is called. Others would never match. */
export function isAllowedHost(text: string): boolean {
  const address = withoutBrackets(text)
  const isAddress = /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]`)
  return isAddress || aListedHost.accepts(text)
}

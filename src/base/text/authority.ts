/** Returns the host name of a `Host` header, in lower case, without port and brackets. */
export function nameOf(authority: string): string {
  return withoutBrackets(authority.toLowerCase().replace(/:\d*$/, ''))
}

/** Removes the brackets of an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** What names hosts in a list, as errors say it. */
export const LISTED_HOST =
  'a host name without scheme or port, such as emulator.test, or .example.com for all below it'

export function isListable(host: string): boolean {
  return /^[\w.-]+$/.test(host)
}

/** Whether a list of host names has a name, in any case. `.example.test` stands for all names below it. */
export function isListedHost(name: string, list: readonly string[]): boolean {
  const host = name.toLowerCase()
  return list.some((listed) => {
    const each = listed.toLowerCase()
    return each.startsWith('.') ? host.endsWith(each) : host === each
  })
}

/** Whether an address is a loopback address, which only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || LOOPBACK.test(name)
}

const LOOPBACK = /^(?:::ffff:)?127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/
const BELOW_LOCALHOST = /^(?:[\w-]+\.)+localhost$/i

/** Whether a host name always refers to this machine. */
export function isLoopbackName(name: string): boolean {
  return isLoopback(name) || BELOW_LOCALHOST.test(name)
}

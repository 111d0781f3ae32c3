/** An address without the user and password in it. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/?#]*@/, '$1')
}

/** The host name in a `Host` header, in lower case, without port and brackets. */
export function nameOf(authority: string): string {
  return authority
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

/** Whether only programs on this machine can reach that address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name)
}

/** Whether a name that is called leads to this machine, whoever resolves it. */
export function isLoopbackName(name: string): boolean {
  return isLoopback(name) || name.endsWith('.localhost')
}

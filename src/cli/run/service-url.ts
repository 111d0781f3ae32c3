import { hostOfHeader } from '../../base/text/authority.js'
import { isLoopbackName } from '../../base/text/near-address.js'
import { OWN_PATHS } from '../../emulator/adapters/routes.js'
import { UsageError } from '../usage-error.js'

/**
 * Reads the base URL of the service.
 *
 * @throws {UsageError} When it has more than an address.
 */
export function serviceUrl(name: string, written: string): string {
  const url = new URL(written)
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `--${name} takes a URL without user and password. A key goes into the authorization header.`,
    )
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `--${name} takes a base URL without ? and #, not "${url.origin}${url.pathname}…".`,
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** Says what to do if a base URL does not end where the API begins. Empty if it does. */
export function missingPath(name: string, url: string): string[] {
  const { training: path } = OWN_PATHS
  if (url.endsWith(path)) return []
  const { origin, pathname } = new URL(url)
  const [before = ''] = pathname.replace(/\/+$/, '').split(`${path}/`, 1)
  return [
    `--${name} ${url} does not end with ${path}, where the API begins. If calls get 404, use ${origin}${before}${path}.`,
  ]
}

/**
 * Checks that the key of a user may be sent to a URL.
 *
 * @throws {UsageError} When anybody on the way could read it.
 */
export function assertPrivate(name: string, url: string): void {
  const { protocol, host } = new URL(url)
  if (protocol === 'https:' || isLoopbackName(hostOfHeader(host))) return
  throw new UsageError(
    `--${name} ${url} has no TLS, so anybody on the way could read your key. Nothing was sent. Use https://.`,
  )
}

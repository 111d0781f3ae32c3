import { fromBase64, toHex } from '../../base/text/bytes.js'
import { PlatformError, quoted } from './platform-error.js'

/** Writes hexadecimal digits in base64. */
export function fromHex(digits: string): string {
  return btoa(digits.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))
}

/** Writes an MD5 in base64 as hexadecimal digits, as addresses have it. */
export function hexOf(digest: string): string {
  return toHex(fromBase64(digest)!)
}

/**
 * Checks an MD5 in base64.
 *
 * @throws {PlatformError} When it is none.
 */
export function checkDigest(digest: string): string {
  if (/^[A-Za-z0-9+/]{22}==$/.test(digest)) return digest
  throw new PlatformError(
    'invalid',
    `The digest is ${quoted(digest)}; expected an MD5 in base64, 24 characters such as 1B2M2Y8AsgTpgAmY7PhCfg==.`,
  )
}

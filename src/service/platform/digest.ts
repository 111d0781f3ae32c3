import { md5 } from '@noble/hashes/legacy.js'
import { fromBase64, toHex } from '../../base/text/bytes.js'
import { PlatformError, quoted } from './platform-error.js'

export function beginMd5(): { update(bytes: Uint8Array): unknown; digest(): Uint8Array } {
  // Node's own is seven times as fast. Browsers have none, and the start of the command does not need it.
  const { process: node } = globalThis as { process?: Partial<NodeJS.Process> }
  const crypto = node?.getBuiltinModule?.('node:crypto')
  return crypto ? crypto.createHash('md5') : md5.create()
}

export function md5Of(bytes: Uint8Array): Uint8Array {
  const hash = beginMd5()
  hash.update(bytes)
  return hash.digest()
}

/** Writes hexadecimal digits in base64. */
export function fromHex(digits: string): string {
  return btoa(digits.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))
}

/** Writes an MD5 in base64 as hexadecimal digits, as addresses have it. */
export function hexOf(digest: string): string {
  return toHex(fromBase64(digest)!)
}

/** An MD5 in base64. */
export const MD5_IN_BASE64 = /^[A-Za-z0-9+/]{22}==$/

/**
 * Checks an MD5 in base64.
 *
 * @throws {PlatformError} When it is none.
 */
export function checkDigest(digest: string): string {
  if (MD5_IN_BASE64.test(digest)) return digest
  throw new PlatformError(
    'invalid',
    `The digest is ${quoted(digest)}; expected an MD5 in base64, 24 characters such as 1B2M2Y8AsgTpgAmY7PhCfg==.`,
  )
}

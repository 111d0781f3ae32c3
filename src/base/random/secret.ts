import { toHex } from '../text/bytes.js'

/** Returns a secret of 128 bits in hexadecimal. It does not depend on the seed, so that nobody can guess it. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return toHex(bytes)
}

/** Returns a secret of 128 bits in hexadecimal. It does not depend on the seed, so that nobody can guess it. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

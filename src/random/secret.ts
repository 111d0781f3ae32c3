/** A text that nobody can guess: 128 bits, in lower-case hexadecimal. Not from the seed, on purpose. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The two hexadecimal digits of each byte. */
export const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Writes bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]!
  return text
}

/** The bytes of a text in hexadecimal digits. Undefined if it is none. */
export function fromHex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16))
}

// A multiple of three: only the last part is padded.
const PART = 3 * 8192

/** Writes any number of bytes in base64: in parts, because a call has a limited number of arguments. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PART) {
    const part = bytes.subarray(at, at + PART)
    // Spreading them takes five times as long.
    text += btoa(String.fromCharCode.apply(null, part as unknown as number[]))
  }
  return text
}

/** The bytes of a text in base64. Undefined if it is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  let characters: string
  try {
    characters = atob(text)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(characters.length)
  // `Uint8Array.from` takes fifty times as long.
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}

/** The characters of a text in base64, one for each byte. Empty if it is none. */
export function charactersOf(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ''
  }
}

/** Puts bytes together, in their order. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

import { decodedTexts } from './readings.js'

/** A secret of this many characters and more is found inside of words. */
export const SHORTEST_ANYWHERE = 8

/** How many bytes of a secret its base64 form has. The rest of that form is found with them. */
const ENCODED_BYTES = 96

/**
 * The spellings of a secret that are found in texts, each with whether it is base64: as it is, with its own escapes
 * decoded, and as base64. A short secret has no base64: it would be found everywhere.
 */
export function spellingsOf(secret: string): Map<string, boolean> {
  const encoded = secret.length < SHORTEST_ANYWHERE ? [] : base64FormsOf(secret)
  const spellings = new Map(encoded.map((form) => [form, true]))
  for (const plain of [secret, ...decodedTexts(secret)]) {
    if (plain !== '' && !spellings.has(plain)) spellings.set(plain, false)
  }
  return spellings
}

const encoder = new TextEncoder()

/**
 * The characters that a secret has in the base64 form of any text with it. They depend on how many bytes precede
 * it, and on the alphabet.
 */
function base64FormsOf(secret: string): string[] {
  const room = new Uint8Array(ENCODED_BYTES)
  const bytes = room.subarray(0, encoder.encodeInto(secret, room).written)
  const forms = [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length)
    shifted.set(bytes, before)
    const encoded = btoa(String.fromCharCode(...shifted))
    const whole = encoded.slice(Math.ceil((8 * before) / 6), Math.floor((8 * shifted.length) / 6))
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [...new Set(forms)]
}

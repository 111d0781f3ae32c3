import { toBase64 } from './signature.js'

// A multiple of three: only the last part is padded.
const PART = 3 * 8192

/** Encodes any number of bytes. It encodes parts, because a call has a limited number of arguments. */
export function toBase64InParts(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PART) text += toBase64(bytes.subarray(at, at + PART))
  return text
}

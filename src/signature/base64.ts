import { toBase64 } from './signature.js'

// A multiple of three, so that no part but the last is padded.
const PART = 3 * 8192

/** Of any number of bytes; a call takes no more arguments than the stack holds. */
export function toBase64InParts(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PART) text += toBase64(bytes.subarray(at, at + PART))
  return text
}

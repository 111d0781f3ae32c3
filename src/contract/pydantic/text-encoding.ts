type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'

/** Decodes a JSON document. Its first bytes show its encoding. Undefined if it is not text. */
export function decodeJsonText(bytes: Uint8Array): string | undefined {
  const { encoding, skip } = detect(bytes)
  const content = skip === 0 ? bytes : bytes.subarray(skip)
  try {
    return encoding === 'utf-32le' || encoding === 'utf-32be'
      ? decodeUtf32(content, encoding === 'utf-32le')
      : new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

/** Detects the encoding like Python's json.detect_encoding: by the byte order mark, or by zero bytes. */
function detect(bytes: Uint8Array): { encoding: Encoding; skip: number } {
  const [b0, b1, b2, b3] = bytes
  if (b0 === 0 && b1 === 0 && b2 === 0xfe && b3 === 0xff) return { encoding: 'utf-32be', skip: 4 }
  if (b0 === 0xff && b1 === 0xfe && b2 === 0 && b3 === 0) return { encoding: 'utf-32le', skip: 4 }
  if (b0 === 0xfe && b1 === 0xff) return { encoding: 'utf-16be', skip: 2 }
  if (b0 === 0xff && b1 === 0xfe) return { encoding: 'utf-16le', skip: 2 }
  if (b0 === 0xef && b1 === 0xbb && b2 === 0xbf) return { encoding: 'utf-8', skip: 3 }
  return { encoding: detectByZeros(bytes), skip: 0 }
}

function detectByZeros(bytes: Uint8Array): Encoding {
  const [b0, b1, b2, b3] = bytes
  if (bytes.length >= 4) {
    if (b0 === 0) return b1 === 0 ? 'utf-32be' : 'utf-16be'
    if (b1 === 0) return b2 === 0 && b3 === 0 ? 'utf-32le' : 'utf-16le'
  } else if (bytes.length === 2) {
    if (b0 === 0) return 'utf-16be'
    if (b1 === 0) return 'utf-16le'
  }
  return 'utf-8'
}

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  if (bytes.length % 4 !== 0) throw new RangeError('a character is cut short')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let at = 0; at < bytes.length; at += 4)
    text += String.fromCodePoint(view.getUint32(at, littleEndian))
  return text
}

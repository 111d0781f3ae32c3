type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'

/**
 * Decodes a JSON document. Its first bytes show its encoding. Undefined if it is not text. Like Python, it also reads
 * a half of a surrogate pair that stands alone, which is not valid in any of the encodings.
 */
export function decodeJsonText(bytes: Uint8Array): string | undefined {
  const { encoding, skip } = detect(bytes)
  const content = skip === 0 ? bytes : bytes.subarray(skip)
  try {
    if (encoding === 'utf-32le' || encoding === 'utf-32be')
      return decodeUtf32(content, encoding === 'utf-32le')
    return decodeWhole(content, encoding) ?? decodeWithHalves(content, encoding)
  } catch {
    return undefined
  }
}

/** Decodes valid text. Undefined if it is not valid. */
export function decodeWhole(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return (encoding === 'utf-8' ? utf8 : decoderOf(encoding)).decode(bytes)
  } catch {
    return undefined
  }
}

function decoderOf(encoding: string): TextDecoder {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
}

/** Nearly every body has this encoding. */
const utf8 = decoderOf('utf-8')

/** Decodes text in which halves of surrogate pairs may stand alone. */
function decodeWithHalves(bytes: Uint8Array, encoding: Encoding): string | undefined {
  if (encoding === 'utf-8') return decodeUtf8WithHalves(bytes)
  if (bytes.length % 2 !== 0) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 2)
    pieces.push(String.fromCharCode(view.getUint16(at, encoding === 'utf-16le')))
  return pieces.join('')
}

/** A half takes three bytes, which begin with ED and a byte from A0 to BF. */
function decodeUtf8WithHalves(bytes: Uint8Array): string | undefined {
  let text = ''
  let start = 0
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    const [, second = 0, third = 0] = bytes.subarray(at, at + 3)
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue
    const before = decodeWhole(bytes.subarray(start, at), 'utf-8')
    if (before === undefined) return undefined
    text += before + String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f))
    start = at + 3
  }
  const rest = start === 0 ? undefined : decodeWhole(bytes.subarray(start), 'utf-8')
  return rest === undefined ? undefined : text + rest
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

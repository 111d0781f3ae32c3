import type { Finding } from './diagnosis.js'
import { toBase64, toHex, charactersOf } from '../../base/text/bytes.js'
import type { SignatureForm } from './signature.js'

/** The value of a header, read as a digest in any common form. */
export interface ReadSignature extends Finding {
  /** Whether it is this digest, or its beginning. */
  readonly begins: (digest: Uint8Array) => boolean
  /** Another algorithm whose digests have this length. */
  readonly algorithm: string | undefined
}

interface EncodedDigest {
  /** The encoding, and the expected one. */
  readonly seen: string
  readonly expected: string
  /** The digest, or its beginning, in the usual form of that encoding. */
  readonly text: string
  readonly write: (digest: Uint8Array) => string
}

/** Too many digests begin with a shorter text. */
const SHORTEST = 8

const OTHER_ALGORITHMS: Readonly<Record<number, string>> = {
  16: 'MD5',
  20: 'SHA-1',
  28: 'SHA-224',
  48: 'SHA-384',
  64: 'SHA-512',
}

/** Reads a digest. The faults are those of its form. Returns undefined if it can't be a digest. */
export function readSignature(received: string, form: SignatureForm): ReadSignature | undefined {
  const trimmed = received.trim()
  const { rest, ...prefixed } = withoutPrefix(trimmed, form.prefix ?? '')
  const read = readEncoded(rest, form.encoding ?? 'hex')
  if (!read) return undefined
  const codes = [...prefixed.codes]
  const faults = [...prefixed.faults]
  if (trimmed !== received) {
    codes.push('surrounding-space')
    faults.push('there is whitespace around it')
  }
  if (read.seen !== read.expected) {
    codes.push(
      read.seen === 'upper-case hex' && read.expected === 'hex' ? 'upper-case' : 'wrong-encoding',
    )
    faults.push(`it is written in ${read.seen}; expected ${read.expected}`)
  }
  const fullLength = read.write(new Uint8Array(32)).length
  if (read.text.length < fullLength) {
    codes.push('truncated')
    faults.push(`it is truncated: ${read.text.length} of ${fullLength} characters`)
  }
  return {
    codes,
    faults,
    begins: (digest) => read.write(digest).startsWith(read.text),
    algorithm: algorithmOf(read),
  }
}

function withoutPrefix(written: string, expected: string): Finding & { rest: string } {
  if (expected !== '' && written.startsWith(expected)) {
    return { rest: written.slice(expected.length), codes: [], faults: [] }
  }
  const [seen = ''] =
    /^(?:t=\d+,\s*)?(?:sha-?\d+|hmac(?:-sha-?\d+)?|v\d+|signature)[=:,]\s*/i.exec(written) ?? []
  if (seen === expected) return { rest: written, codes: [], faults: [] }
  const wanted = expected === '' ? 'nothing' : JSON.stringify(expected)
  const found = seen === '' ? 'nothing' : JSON.stringify(seen)
  const fault = `there is ${found} before it; expected ${wanted}`
  return { rest: written.slice(seen.length), codes: ['wrong-prefix'], faults: [fault] }
}

function readEncoded(text: string, encoding: 'hex' | 'base64'): EncodedDigest | undefined {
  if (text.length < SHORTEST) return undefined
  if (/^[0-9a-f]+$/i.test(text)) {
    const seen = /[A-F]/.test(text) ? 'upper-case hex' : 'hex'
    return { seen, expected: encoding, text: text.toLowerCase(), write: toHex }
  }
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined
  const usual = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  const inside = charactersOf(usual)
  if (/^[0-9a-f]{64}$/i.test(inside)) {
    const seen = 'base64 of the hexadecimal digits'
    return { seen, expected: encoding, text: inside.toLowerCase(), write: toHex }
  }
  return { seen: base64Kind(text), expected: encoding, text: usual, write: unpadded }
}

function base64Kind(text: string): string {
  if (/[-_]/.test(text)) return 'base64url'
  // A truncated one has no padding either.
  return text.length === unpadded(new Uint8Array(32)).length
    ? 'base64 without its padding'
    : 'base64'
}

function unpadded(digest: Uint8Array): string {
  return toBase64(digest).replace(/=+$/, '')
}

function algorithmOf({ text, write }: EncodedDigest): string | undefined {
  const bytes = write === toHex ? text.length / 2 : Math.floor((text.length * 3) / 4)
  return OTHER_ALGORITHMS[bytes]
}

/** Writes DER, the binary form of certificates (ITU-T X.690), as far as they need it. */

type Der = Uint8Array

const SEQUENCE = 0x30
const SET = 0x31
const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18

export function sequence(...parts: readonly Der[]): Der {
  return value(SEQUENCE, ...parts)
}

export function set(...parts: readonly Der[]): Der {
  return value(SET, ...parts)
}

/** `BOOLEAN TRUE`. The other one is the default everywhere, and DER omits defaults. */
export function truth(): Der {
  return value(BOOLEAN, Uint8Array.of(0xff))
}

/** An integer that is not negative, from its bytes. */
export function integer(bytes: Der | number): Der {
  const all = typeof bytes === 'number' ? Uint8Array.of(bytes) : bytes
  // The first bit would be the sign.
  return value(INTEGER, all[0]! >= 0x80 ? Uint8Array.of(0) : Uint8Array.of(), all)
}

/** @param unused - How many bits of the last byte do not count. */
export function bits(bytes: Der, unused = 0): Der {
  return value(BIT_STRING, Uint8Array.of(unused), bytes)
}

export function octets(bytes: Der): Der {
  return value(OCTET_STRING, bytes)
}

/** @param dotted - Such as `2.5.29.17`. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  return value(
    OBJECT_IDENTIFIER,
    Uint8Array.from([40 * first + second, ...others.flatMap(base128)]),
  )
}

function base128(number: number): number[] {
  const digits = [number & 0x7f]
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

export function utf8(text: string): Der {
  return value(UTF8_STRING, Buffer.from(text))
}

/** A time in seconds. Certificates write years from 2050 in another form (RFC 5280, 4.1.2.5). */
export function time(at: Date): Der {
  const digits = `${at.toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`
  return at.getUTCFullYear() < 2050
    ? value(UTC_TIME, Buffer.from(digits.slice(2)))
    : value(GENERALIZED_TIME, Buffer.from(digits))
}

/** A part with a number of its own, made of other parts. */
export function tagged(number: number, ...parts: readonly Der[]): Der {
  return value(0xa0 | number, ...parts)
}

/** A part with a number of its own, made of bytes. */
export function taggedBytes(number: number, bytes: Der): Der {
  return value(0x80 | number, bytes)
}

function value(tag: number, ...parts: readonly Der[]): Der {
  const content = Buffer.concat(parts)
  return Buffer.concat([Uint8Array.of(tag), lengthOf(content.length), content])
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return Uint8Array.of(0x80 | bytes.length, ...bytes)
}

import { HEX } from '../text/bytes.js'

/**
 * Seeded randomness. Each draw depends on the seed and on its purpose ("model", entity, project, name …), but
 * not on the order of calls. So parallel tests and all transports draw the same values.
 */
export class SeededRandom {
  readonly seed: number

  constructor(seed: number) {
    this.seed = seed
  }

  /** Returns a version-4 UUID for `parts`. The same parts give the same UUID. */
  uuid(...parts: readonly (string | number)[]): string {
    const [a, b, c, d] = this.hash(...parts)
    return formatUuidHead(a, b) + formatUuidTail(c, d)
  }

  /** Returns a text of `length` (at most 24) lower-case letters and digits. */
  token(length: number, ...parts: readonly (string | number)[]): string {
    const [a, b, c, d] = this.hash(...parts)
    return `${lettersOf(a)}${lettersOf(b)}${lettersOf(c)}${lettersOf(d)}`.slice(0, length)
  }

  /** Returns a number in [0, 1). */
  unit(...parts: readonly (string | number)[]): number {
    return this.hash(...parts)[0] / 2 ** 32
  }

  /** Returns 128 well-mixed bits for `parts`. */
  hash(...parts: readonly (string | number)[]): Hash128 {
    // Joined with U+001F, so that ("a", "bc") and ("ab", "c") differ.
    return hash128(`${this.seed}\u001f${parts.join('\u001f')}`)
  }
}

export type Hash128 = readonly [number, number, number, number]

/** Hashes a text to four unsigned 32-bit words. Fast and evenly distributed, but not cryptographic. */
export function hash128(text: string): Hash128 {
  return finishHash(continueHash(HASH_START, text), text.length)
}

export const HASH_START: Hash128 = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a]

/** Adds the next part of a text that comes in parts to what was made of the parts before. */
export function continueHash(before: Hash128, text: string): Hash128 {
  // Each draw is a hash, and destructuring takes longer than all else.
  let a = before[0]
  let b = before[1]
  let c = before[2]
  let d = before[3]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ unit, 0x9e3779b1)
    b = c ^ Math.imul(b ^ unit, 0x85ebca77)
    c = d ^ Math.imul(c ^ unit, 0xc2b2ae3d)
    d = a ^ Math.imul(d ^ unit, 0x27d4eb2f)
  }
  return [a, b, c, d]
}

/** Returns the hash of all parts, which have `length` characters together. */
export function finishHash(before: Hash128, length: number): Hash128 {
  const a = mix32(before[0] ^ length)
  const b = mix32(before[1] ^ a)
  const c = mix32(before[2] ^ b)
  const d = mix32(before[3] ^ c)
  return [mix32(a ^ d), b, c, d]
}

/** Mixes the bits of a 32-bit number. Different numbers give different results. */
export function mix32(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Returns a normally distributed number (mean 0, deviation 1) for `key` and `index`. */
export function gaussian(key: number, index: number): number {
  const u = (mix32(key ^ mix32(index)) + 1) / (2 ** 32 + 1)
  const v = mix32(mix32(key ^ 0x5bd1e995) ^ mix32(index ^ 0x1b873593)) / 2 ** 32
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v)
}

const PAIR = 36 * 36
const PAIRS = Array.from({ length: PAIR }, (_, pair) => pair.toString(36).padStart(2, '0'))

/** The last six digits of a 32-bit word in base 36. With `toString(36)`, a chat takes 5 % longer. */
function lettersOf(word: number): string {
  const first = PAIRS[Math.floor(word / (PAIR * PAIR)) % PAIR]!
  return first + PAIRS[Math.floor(word / PAIR) % PAIR]! + PAIRS[word % PAIR]!
}

/**
 * Formats the first 64 bits of a version-4 UUID: `3f2504e0-4f89-41d3-`. The version replaces four of them, and the
 * variant two of the others.
 *
 * It uses a table of bytes: with `toString(16)` and `padStart`, listing a page of 100 events in process takes
 * 20 % longer.
 */
export function formatUuidHead(a: number, b: number): string {
  const version = (b & 0xffff0fff) | 0x4000
  return `${high(a)}${low(a)}-${high(version)}-${low(version)}-`
}

/** The last 64 bits of a UUID: `9a0c-0305e82c3301`. */
export function formatUuidTail(c: number, d: number): string {
  const variant = (c & 0x3fffffff) | 0x80000000
  return `${high(variant)}-${low(variant)}${high(d)}${low(d)}`
}

/** The first four hexadecimal digits of a 32-bit word. */
function high(word: number): string {
  return HEX[word >>> 24]! + HEX[(word >>> 16) & 0xff]!
}

/** The last four hexadecimal digits of a 32-bit word. */
function low(word: number): string {
  return HEX[(word >>> 8) & 0xff]! + HEX[word & 0xff]!
}

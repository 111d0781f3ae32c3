import { decodedTexts } from './readings.js'

/** A part of a text: from its first character to the one after its last. */
export type Range = readonly [start: number, end: number]

/** A secret of this many characters and more is found inside of words. */
export const SHORTEST_ANYWHERE = 8

/** The beginning of a longer secret that is found without its end. */
const BEGINNING = 64

/** How many bytes of a secret its base64 form has. The rest of that form is found with them. */
const ENCODED_BYTES = 96

/** How many secrets each character of a text may be in, on average. The others inside of these are passed over. */
const MOST_DEPTH = 2

export interface SecretSearchOptions {
  /** Whether secrets with fewer than eight characters are found inside of words, too. Default: false. */
  readonly shortAnywhere?: boolean
}

/**
 * Finds secrets in texts, in a time that is linear in the text, however many secrets there are. A secret is found as
 * it is, as base64, and with its own escapes decoded.
 */
export class SecretSearch {
  readonly #shortAnywhere: boolean
  /** Patterns by their first eight characters, each list sorted. */
  readonly #long = new Map<string, string[]>()
  /** Shorter patterns by their first character, the longest first. */
  readonly #short = new Map<number, string[]>()
  /** How many secrets have a pattern. */
  readonly #uses = new Map<string, number>()
  readonly #encoded = new Set<string>()
  /** The hashes of the first eight characters of all patterns, as bits. */
  #filter = new Uint8Array(0)
  #bits = 0
  #longest = 0
  /** The beginnings of all patterns, of up to seven characters. */
  #beginnings: Set<string> | undefined

  constructor({ shortAnywhere = false }: SecretSearchOptions = {}) {
    this.#shortAnywhere = shortAnywhere
  }

  /** Adds a secret. A secret that is added twice must be removed twice. */
  add(secret: string): void {
    const encoded = encodedFormsOf(secret)
    for (const form of encoded) this.#encoded.add(form)
    for (const pattern of patternsOf(secret, encoded)) {
      const uses = this.#uses.get(pattern) ?? 0
      this.#uses.set(pattern, uses + 1)
      if (uses === 0) this.#insert(pattern)
    }
  }

  /** Removes a secret that was added. */
  delete(secret: string): void {
    for (const pattern of patternsOf(secret, encodedFormsOf(secret))) {
      const uses = this.#uses.get(pattern) ?? 0
      if (uses > 1) this.#uses.set(pattern, uses - 1)
      else if (uses === 1) this.#remove(pattern)
    }
  }

  /** Returns where secrets stand in a text, in order. The ranges do not overlap. */
  rangesIn(text: string): Range[] {
    const long = this.#long.size === 0 ? [] : this.#longRanges(text)
    return this.#short.size === 0 ? long : [...long, ...this.#shortRanges(text)]
  }

  /** Returns where the beginning of a secret stands at the end of a text; the length of the text if there is none. */
  beginningIn(text: string): number {
    for (let start = Math.max(0, text.length - BEGINNING); start < text.length; start++) {
      if (this.#beginsWith(text.slice(start))) return start
    }
    return text.length
  }

  #beginsWith(start: string): boolean {
    if (start.length < SHORTEST_ANYWHERE) return this.#shortBeginnings.has(start)
    const patterns = this.#long.get(start.slice(0, SHORTEST_ANYWHERE)) ?? []
    // All patterns with this beginning follow it in the list.
    return [countUpTo(patterns, start) - 1, countUpTo(patterns, start)].some((index) => {
      return patterns[index]?.startsWith(start) === true
    })
  }

  get #shortBeginnings(): Set<string> {
    if (this.#beginnings) return this.#beginnings
    const beginnings = new Set<string>()
    for (const pattern of [...this.#long.keys(), ...[...this.#short.values()].flat()]) {
      for (let length = 1; length < Math.min(pattern.length, SHORTEST_ANYWHERE); length++) {
        beginnings.add(pattern.slice(0, length))
      }
    }
    return (this.#beginnings = beginnings)
  }

  #insert(pattern: string): void {
    this.#beginnings = undefined
    if (pattern.length < SHORTEST_ANYWHERE) {
      const first = pattern.charCodeAt(0)
      const patterns = [...(this.#short.get(first) ?? []), pattern]
      this.#short.set(
        first,
        patterns.sort((one, other) => other.length - one.length),
      )
      return
    }
    const key = pattern.slice(0, SHORTEST_ANYWHERE)
    const patterns = this.#long.get(key) ?? []
    patterns.splice(countUpTo(patterns, pattern), 0, pattern)
    this.#long.set(key, patterns)
    this.#longest = Math.max(this.#longest, pattern.length)
    this.#mark(key)
  }

  #remove(pattern: string): void {
    this.#beginnings = undefined
    this.#uses.delete(pattern)
    this.#encoded.delete(pattern)
    const isShort = pattern.length < SHORTEST_ANYWHERE
    const first = pattern.charCodeAt(0)
    const key = pattern.slice(0, SHORTEST_ANYWHERE)
    const patterns = (isShort ? this.#short.get(first) : this.#long.get(key)) ?? []
    const index = patterns.indexOf(pattern)
    if (index !== -1) patterns.splice(index, 1)
    if (patterns.length > 0) return
    if (isShort) this.#short.delete(first)
    else this.#long.delete(key)
  }

  /** Marks the hash of a beginning. A filter that is a quarter full is made again, with room for what is there. */
  #mark(key: string): void {
    this.#bits++
    if (this.#bits * 4 > this.#filter.length * 8) {
      const room = Math.max(1024, this.#long.size * 2)
      this.#filter = new Uint8Array(2 ** Math.ceil(Math.log2(room)))
      this.#bits = 0
      for (const each of this.#long.keys()) this.#mark(each)
      return
    }
    const bit = this.#bitOf(hashOf(key, 0))
    this.#filter[bit >>> 3]! |= 1 << (bit & 7)
  }

  #bitOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#filter.length * 8 - 1)
  }

  #longRanges(text: string): Range[] {
    const ranges: Range[] = []
    const last = text.length - SHORTEST_ANYWHERE
    let hash = last < 0 ? 0 : hashOf(text, 0)
    let found = 0
    for (let start = 0; start <= last; start++) {
      const bit = this.#bitOf(hash)
      if ((this.#filter[bit >>> 3]! & (1 << (bit & 7))) !== 0) {
        const end = this.#endAt(text, start)
        if (end > start) addRange(ranges, start, end)
        found += end - start
        // Another secret may begin inside of this one. A secret that repeats itself does so everywhere.
        if (end > start && found > MOST_DEPTH * text.length) {
          start = end - 1
          if (end <= last) hash = hashOf(text, end)
          continue
        }
      }
      hash = rolled(hash, text.charCodeAt(start), text.charCodeAt(start + SHORTEST_ANYWHERE))
    }
    return ranges
  }

  /** Where the longest secret ends that starts here. The start itself, if none does. */
  #endAt(text: string, start: number): number {
    const patterns = this.#long.get(text.slice(start, start + SHORTEST_ANYWHERE))
    if (!patterns) return start
    let rest = text.slice(start, start + this.#longest)
    const following = countUpTo(patterns, rest)
    // What has the longest beginning in common with a text is next to it in a sorted list.
    const shared = [patterns[following - 1], patterns[following]].map((pattern) => {
      const common = commonLength(pattern ?? '', rest)
      return common === pattern?.length || common >= BEGINNING ? common : 0
    })
    for (let index = following - 1; index >= 0; index = countUpTo(patterns, rest) - 1) {
      const pattern = patterns[index]!
      const common = commonLength(pattern, rest)
      if (common === pattern.length) {
        shared.push(common)
        if (this.#encoded.has(pattern)) shared.push(encodedLength(text, start))
        break
      }
      if (common < SHORTEST_ANYWHERE) break
      rest = rest.slice(0, common)
    }
    return start + Math.max(...shared)
  }

  #shortRanges(text: string): Range[] {
    const ranges: Range[] = []
    for (let start = 0; start < text.length; start++) {
      const patterns = this.#short.get(text.charCodeAt(start))
      const found = patterns?.find((pattern) => {
        if (!text.startsWith(pattern, start)) return false
        return this.#shortAnywhere || isWord(text, start, start + pattern.length)
      })
      if (found === undefined) continue
      ranges.push([start, start + found.length])
      start += found.length - 1
    }
    return ranges
  }
}

function patternsOf(secret: string, encoded: readonly string[]): Set<string> {
  const patterns = new Set([secret, ...decodedTexts(secret), ...encoded])
  patterns.delete('')
  return patterns
}

/** A short secret has none: in base64, it would be found everywhere. */
function encodedFormsOf(secret: string): string[] {
  return secret.length < SHORTEST_ANYWHERE ? [] : base64FormsOf(secret)
}

/** Adds a range. It may overlap with the one before. */
function addRange(ranges: Range[], start: number, end: number): void {
  const before = ranges.at(-1)
  if (before === undefined || start >= before[1]) ranges.push([start, end])
  else if (end > before[1]) ranges[ranges.length - 1] = [before[0], end]
}

const BASE = 0x01_00_01_93
const BASE_7 = Array.from({ length: 7 }).reduce<number>((power) => Math.imul(power, BASE), 1)

function hashOf(text: string, start: number): number {
  let hash = 0
  for (let index = start; index < start + SHORTEST_ANYWHERE; index++) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(index)) | 0
  }
  return hash
}

/** The hash of a window that moves by one character. */
function rolled(hash: number, first: number, next: number): number {
  return (Math.imul(hash - Math.imul(first, BASE_7), BASE) + next) | 0
}

/** How many texts of a sorted list are less than or equal to this one. */
function countUpTo(sorted: readonly string[], text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! <= text) low = middle + 1
    else high = middle
  }
  return low
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

/** The length of the base64 text that starts here. */
function encodedLength(text: string, start: number): number {
  let end = start
  while (end < text.length && /[\w+/=-]/.test(text[end]!)) end++
  return end - start
}

/** Whether a part of a text stands alone. A part without letters and digits is not a word. */
function isWord(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start)
  const after = text.slice(end, end + 2)
  return (
    !/[\p{L}\p{N}]$/u.test(before) &&
    !/^[\p{L}\p{N}]/u.test(after) &&
    /[\p{L}\p{N}]/u.test(text.slice(start, end))
  )
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

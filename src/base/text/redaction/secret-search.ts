import { SHORTEST_ANYWHERE, spellingsOf } from './secret-spellings.js'

/** A part of a text: from its first character to the one after its last. */
export type Range = readonly [start: number, end: number]

/** The beginning of a longer secret that is found without its end. */
const BEGINNING = 64

/** How many secrets each character of a text may be in, on average. The others inside of these are passed over. */
const MOST_DEPTH = 2

/** How many beginnings are told apart, so that most places need no further look. */
const MARKS = 4096
const LAST_MARK = MARKS - 1
/** Spreads pairs of characters over the marks. */
const SPREAD = 61

export interface SecretSearchOptions {
  /** Whether secrets with fewer than eight characters are found inside of words, too. Default: false. */
  readonly shortAnywhere?: boolean
}

/** A spelling of a secret. */
interface Pattern {
  readonly text: string
  /** Whether it is base64. Its last characters depend on what follows the secret. */
  readonly isEncoded: boolean
  /** How many secrets have it. */
  uses: number
  /** Whether it stood in a text. */
  seen: boolean
}

/**
 * Finds secrets in texts. A secret is found as it is, as base64, and with its own escapes decoded. The time is linear in
 * the text, however many secrets there are.
 */
export class SecretSearch {
  readonly #shortAnywhere: boolean
  /** Patterns by their beginnings. Few have the same one. */
  readonly #patterns = new Map<string, Pattern[]>()
  /** For each text of at most eight characters that patterns begin with: how many beginnings have a length. */
  readonly #heads = new Map<string, Map<number, number>>()
  /** The lengths of heads, and marks for how they begin. Those that were removed stay. */
  readonly #headLengths = new Set<number>()
  readonly #singles = new Uint8Array(MARKS)
  readonly #pairs = new Uint8Array(MARKS)

  constructor({ shortAnywhere = false }: SecretSearchOptions = {}) {
    this.#shortAnywhere = shortAnywhere
  }

  /** Adds a secret. A secret that is added twice must be removed twice. */
  add(secret: string): void {
    for (const [text, isEncoded] of spellingsOf(secret)) {
      const beginning = text.slice(0, BEGINNING)
      const patterns = this.#patterns.get(beginning)
      const pattern = this.#patternOf(text)
      if (pattern) pattern.uses++
      else if (patterns) patterns.push({ text, isEncoded, uses: 1, seen: false })
      else {
        this.#patterns.set(beginning, [{ text, isEncoded, uses: 1, seen: false }])
        this.#countHead(beginning, 1)
      }
    }
  }

  /** Removes a secret that was added. */
  delete(secret: string): void {
    for (const [text] of spellingsOf(secret)) {
      const beginning = text.slice(0, BEGINNING)
      const patterns = this.#patterns.get(beginning)
      const pattern = this.#patternOf(text)
      if (!patterns || !pattern || --pattern.uses > 0) continue
      patterns.splice(patterns.indexOf(pattern), 1)
      if (patterns.length > 0) continue
      this.#patterns.delete(beginning)
      this.#countHead(beginning, -1)
    }
  }

  /** Whether a secret that was added stood in a text so far. One that is inside of another is passed over. */
  hasSeen(secret: string): boolean {
    return [...spellingsOf(secret).keys()].some((text) => this.#patternOf(text)?.seen)
  }

  #patternOf(text: string): Pattern | undefined {
    return this.#patterns.get(text.slice(0, BEGINNING))?.find((each) => each.text === text)
  }

  #countHead(beginning: string, change: 1 | -1): void {
    const head = beginning.slice(0, SHORTEST_ANYWHERE)
    this.#headLengths.add(head.length)
    const [first, second] = [head.charCodeAt(0), head.charCodeAt(1)]
    if (head.length === 1) this.#singles[first & LAST_MARK] = 1
    else this.#pairs[(first + SPREAD * second) & LAST_MARK] = 1
    const lengths = this.#heads.get(head) ?? new Map<number, number>()
    const count = (lengths.get(beginning.length) ?? 0) + change
    if (count > 0) lengths.set(beginning.length, count)
    else lengths.delete(beginning.length)
    if (lengths.size > 0) this.#heads.set(head, lengths)
    else this.#heads.delete(head)
  }

  /** Returns where secrets stand in a text, in order. The ranges do not overlap. */
  rangesIn(text: string): Range[] {
    const ranges: Range[] = []
    if (this.#patterns.size === 0) return ranges
    const [singles, pairs] = [this.#singles, this.#pairs]
    let covered = 0
    let found = 0
    let next = text.charCodeAt(0)
    for (let start = 0; start < text.length; start++) {
      const first = next
      next = text.charCodeAt(start + 1)
      if (pairs[(first + SPREAD * next) & LAST_MARK] !== 1 && singles[first & LAST_MARK] !== 1)
        continue
      // Another secret may begin inside of the one before. One that repeats itself does so everywhere.
      if (start < covered && found > MOST_DEPTH * text.length) continue
      const end = this.#endAt(text, start, covered)
      found += end - start
      if (end <= Math.max(start, covered)) continue
      if (start < covered) ranges[ranges.length - 1] = [ranges.at(-1)![0], end]
      else ranges.push([start, end])
      covered = end
    }
    return ranges
  }

  /** Returns where the beginning of a secret stands at the end of a text; the length of the text if there is none. */
  beginningIn(text: string): number {
    for (let start = Math.max(0, text.length - BEGINNING); start < text.length; start++) {
      if (this.#beginsWith(text.slice(start))) return start
    }
    return text.length
  }

  #beginsWith(start: string): boolean {
    const isHead = start.length < SHORTEST_ANYWHERE
    if (!isHead && !this.#heads.has(start.slice(0, SHORTEST_ANYWHERE))) return false
    const beginnings = [...(isHead ? this.#heads : this.#patterns).keys()]
    return beginnings.some((each) => each.length > start.length && each.startsWith(start))
  }

  /** Where the longest secret ends that starts here. All up to `covered` is known to be secret. */
  #endAt(text: string, start: number, covered: number): number {
    let end = start
    for (const headLength of this.#headLengths) {
      const lengths = this.#heads.get(text.slice(start, start + headLength))
      for (const length of lengths?.keys() ?? []) {
        for (const pattern of this.#patterns.get(text.slice(start, start + length)) ?? []) {
          if (!reachesBeyond(pattern, text, { start, covered })) continue
          const found = endOf(pattern, text, start)
          const isFound = length >= SHORTEST_ANYWHERE || this.#shortAnywhere
          if (!isFound && !isWord(text, start, found)) continue
          pattern.seen = true
          end = Math.max(end, found)
        }
      }
    }
    return end
  }
}

/** Whether a pattern that starts before `covered` may end behind it. Most do not, and need no comparison. */
function reachesBeyond(
  { text: pattern, isEncoded }: Pattern,
  text: string,
  { start, covered }: { start: number; covered: number },
): boolean {
  if (start >= covered) return true
  if (isEncoded) return isOfBase64(text, covered)
  return pattern.charCodeAt(covered - start) === text.charCodeAt(covered)
}

/** Where a pattern ends whose beginning stands here. The rest of a long one may be another text. */
function endOf({ text: pattern, isEncoded }: Pattern, text: string, start: number): number {
  let end = start + (text.startsWith(pattern, start) ? pattern.length : BEGINNING)
  while (end - start < pattern.length && text[end] === pattern[end - start]) end++
  if (isEncoded && end - start === pattern.length) while (isOfBase64(text, end)) end++
  return end
}

function isOfBase64(text: string, place: number): boolean {
  return /[\w+/=-]/.test(text[place] ?? '')
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

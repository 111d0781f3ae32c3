import { SHORTEST_ANYWHERE, spellingsOf } from './secret-spellings.js'

/** A part of a text: from its first character to the one after its last. */
export type Range = readonly [start: number, end: number]

/** The beginning of a longer secret that is found without its end. */
const BEGINNING = 64

/** How many secrets each character of a text may be in, on average. The others inside of these are passed over. */
const MOST_DEPTH = 2

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

/** Patterns by their beginning, and these by their length. All begin with the same head. */
type Beginnings = Map<number, Map<string, Pattern[]>>

/**
 * Finds secrets in texts. A secret is found as it is, as base64, and with its own escapes decoded. The time is linear in
 * the text, however many secrets there are: at a place of a text, the first character, then the head (up to eight
 * characters) and then the beginning are looked up, and few patterns have the same beginning.
 */
export class SecretSearch {
  readonly #shortAnywhere: boolean
  /** How long the heads are, by their first character. Most places of a text have none. Those that were removed stay. */
  readonly #headLengths = new Map<number, Set<number>>()
  readonly #heads = new Map<string, Beginnings>()

  constructor({ shortAnywhere = false }: SecretSearchOptions = {}) {
    this.#shortAnywhere = shortAnywhere
  }

  /** Adds a secret. A secret that is added twice must be removed twice. */
  add(secret: string): void {
    for (const [text, isEncoded] of spellingsOf(secret)) {
      const { head, beginning } = partsOf(text)
      valueIn(this.#headLengths, head.charCodeAt(0), () => new Set()).add(head.length)
      const beginnings = valueIn(this.#heads, head, () => new Map())
      const alike = valueIn(beginnings, beginning.length, () => new Map())
      const patterns = valueIn(alike, beginning, () => [])
      const pattern = patterns.find((each) => each.text === text)
      if (pattern) pattern.uses++
      else patterns.push({ text, isEncoded, uses: 1, seen: false })
    }
  }

  /** Removes a secret that was added. */
  delete(secret: string): void {
    for (const [text] of spellingsOf(secret)) {
      const { head, beginning } = partsOf(text)
      const beginnings = this.#heads.get(head)
      const alike = beginnings?.get(beginning.length)
      const patterns = alike?.get(beginning)
      const pattern = patterns?.find((each) => each.text === text)
      if (!pattern || --pattern.uses > 0) continue
      patterns!.splice(patterns!.indexOf(pattern), 1)
      if (patterns!.length === 0) alike!.delete(beginning)
      if (alike!.size === 0) beginnings!.delete(beginning.length)
      if (beginnings!.size === 0) this.#heads.delete(head)
    }
  }

  /** Whether a secret that was added stood in a text so far. One that is inside of another is passed over. */
  hasSeen(secret: string): boolean {
    return [...spellingsOf(secret).keys()].some((text) => {
      const { head, beginning } = partsOf(text)
      const patterns = this.#heads.get(head)?.get(beginning.length)?.get(beginning)
      return patterns?.some((each) => each.text === text && each.seen)
    })
  }

  /** Returns where secrets stand in a text, in order. The ranges do not overlap. */
  rangesIn(text: string): Range[] {
    const ranges: Range[] = []
    if (this.#heads.size === 0) return ranges
    let covered = 0
    let found = 0
    for (let start = 0; start < text.length; start++) {
      const headLengths = this.#headLengths.get(text.charCodeAt(start))
      if (!headLengths) continue
      // Another secret may begin inside of the one before. One that repeats itself does so everywhere.
      if (start < covered && found > MOST_DEPTH * text.length) continue
      const end = this.#endAt(text, { start, covered, headLengths })
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
    const beginnings = this.#heads.get(start.slice(0, SHORTEST_ANYWHERE))
    const known = isHead ? [this.#heads] : [...(beginnings?.values() ?? [])]
    return known
      .flatMap((each) => [...each.keys()])
      .some((each) => each.length > start.length && each.startsWith(start))
  }

  /** Where the longest secret ends that starts here. All up to `covered` is known to be secret. */
  #endAt(
    text: string,
    { start, covered, headLengths }: { start: number; covered: number; headLengths: Set<number> },
  ): number {
    let end = start
    for (const headLength of headLengths) {
      for (const [length, alike] of this.#heads.get(text.slice(start, start + headLength)) ?? []) {
        for (const pattern of alike.get(text.slice(start, start + length)) ?? []) {
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

/** The value of a key, which is made if there is none. */
function valueIn<K, V>(map: Map<K, V>, key: K, make: () => NoInfer<V>): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function partsOf(text: string): { head: string; beginning: string } {
  return { head: text.slice(0, SHORTEST_ANYWHERE), beginning: text.slice(0, BEGINNING) }
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

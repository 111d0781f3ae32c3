import { HIDDEN } from './hidden.js'
import { namedValuesIn } from './named-values.js'
import { readingsOf, type Reading } from './readings.js'
import { SecretSearch, type Range } from './secret-search.js'
import { SHORTEST_ANYWHERE } from './secret-spellings.js'

/** Whether secrets stand in a longer text is judged as it is, because it takes four times as long in all spellings. */
const LONGEST_READ = 2000

/** The text that replaces a whole text, if the search for secrets failed. */
const LEFT_OUT = '[not shown: the search for secrets failed]'

export interface RedactorOptions {
  /** Secrets that are in use. They are never forgotten. */
  readonly secrets?: Iterable<string>
  /** What looks like a secret wherever it stands. The first group, if any, stays. */
  readonly shapes?: readonly RegExp[]
  /** Returns where the next text that may hold a remembered secret will stand, such as the id of an entry. */
  readonly position?: () => number
}

/** Removes secrets from a text. */
export type Redact = (text: string, about?: RedactedText) => string

/** About one text. */
export interface RedactedText {
  /** Finds more secrets that it may have. */
  readonly own?: SecretSearch | undefined
  /** Whether its end is missing: a secret may begin there, and then the text ends before it. Default: false. */
  readonly isCut?: boolean
}

/**
 * Replaces secrets in texts. A secret of eight characters and more is replaced everywhere, in each spelling that
 * JSON, URLs and base64 have for it; a shorter one where it stands as a word. Values whose name says that they are
 * secrets are replaced as well, and so are user and password in URLs.
 *
 * The time is linear in the text, and depends little on the number of secrets. No method throws.
 *
 * @example
 * const redactor = new Redactor({ secrets: ['a-long-secret'] })
 * redactor.redact('?token=abc a-long-secret') // '?token=[not shown] [not shown]'
 */
export class Redactor {
  readonly #search = new SecretSearch()
  readonly #shapes: readonly RegExp[]
  readonly #position: () => number
  /** The secrets in use, by what uses them. */
  readonly #kept = new Map<string, ReadonlySet<string>>()
  /** The others with the position where they were seen last, in that order. */
  readonly #remembered = new Map<string, number>()

  constructor({ secrets = [], shapes = [], position = () => 0 }: RedactorOptions = {}) {
    this.#shapes = shapes
    this.#position = position
    this.keep('given', secrets)
  }

  /** Sets the secrets that something uses. Those that it used before are remembered like any others. */
  keep(user: string, secrets: Iterable<string>): void {
    const before = this.#kept.get(user)
    const now = new Set([...secrets].map(withoutEnd).filter(isSecret))
    for (const secret of now) if (!before?.has(secret)) this.#search.add(secret)
    this.#kept.set(user, now)
    for (const secret of before ?? []) {
      if (now.has(secret)) continue
      this.remember(secret)
      this.#search.delete(secret)
    }
  }

  /** Remembers a secret that a client used, until `forgetBefore` says that no text is left that may hold it. */
  remember(seen: string): void {
    const secret = withoutEnd(seen)
    if (!isSecret(secret)) return
    if (!this.#remembered.delete(secret)) this.#search.add(secret)
    this.#remembered.set(secret, this.#position())
  }

  /**
   * Forgets the remembered secrets that were seen only before a position.
   *
   * @param kept Returns the texts that are kept. A secret that stands in one of them is remembered as if it was seen now.
   */
  forgetBefore(position: number, kept: () => Iterable<string> = () => []): void {
    const old = [...this.#remembered].filter(([, seen]) => seen < position)
    if (old.length === 0) return
    const search = new SecretSearch()
    for (const [secret] of old) search.add(secret)
    // Calls repeat most of their headers.
    const read = new Set<string>()
    for (const text of kept()) {
      if (read.has(text)) continue
      const isLong = text.length > LONGEST_READ
      if (!isLong) read.add(text)
      const readings = isLong ? [{ text }] : readingsOf(text)
      for (const reading of readings) search.rangesIn(reading.text)
    }
    for (const [secret] of old) {
      if (search.hasSeen(secret)) {
        this.remember(secret)
        continue
      }
      this.#remembered.delete(secret)
      this.#search.delete(secret)
    }
  }

  /** Returns the text with `[not shown]` in place of each secret. */
  redact(text: string, about: RedactedText = {}): string {
    try {
      return this.#redacted(text, about)
    } catch {
      return LEFT_OUT
    }
  }

  #redacted(text: string, { own, isCut = false }: RedactedText): string {
    const searches = own ? [this.#search, own] : [this.#search]
    const found: Replacement[] = []
    let cut = text.length
    for (const reading of readingsOf(text)) {
      for (const search of searches) {
        for (const range of search.rangesIn(reading.text)) found.push(replacementOf(reading, range))
        if (isCut) cut = Math.min(cut, reading.originOf(search.beginningIn(reading.text)))
      }
      for (const { range, isNumber } of namedValuesIn(reading.text, isCut)) {
        const isQuoted = isNumber === true && reading.text === text
        found.push(replacementOf(reading, range, isQuoted ? `"${HIDDEN}"` : HIDDEN))
      }
      for (const shape of this.#shapes) {
        for (const { 0: whole, 1: before = '', index } of reading.text.matchAll(shape)) {
          found.push(replacementOf(reading, [index + before.length, index + whole.length]))
        }
      }
    }
    if (cut < text.length) found.push({ start: cut, end: text.length, replacement: '' })
    return found.length === 0 ? text : replaced(text, found)
  }
}

/** A path loses the slashes at its end when the service redirects, also if they belong to a secret. */
function withoutEnd(secret: string): string {
  let end = secret.length
  while (end > SHORTEST_ANYWHERE && secret[end - 1] === '/') end--
  return secret.slice(0, end)
}

function isSecret(text: string): boolean {
  return text !== '' && !text.includes(HIDDEN)
}

interface Replacement {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** A range of a reading, and what stands in its place in the original. */
function replacementOf(
  { originOf }: Reading,
  [start, end]: Range,
  replacement = HIDDEN,
): Replacement {
  return { start: originOf(start), end: originOf(end), replacement }
}

/** Replaces ranges, which may overlap. What is a replacement already is replaced by the same. */
function replaced(text: string, found: Replacement[]): string {
  for (let at = text.indexOf(HIDDEN); at !== -1; at = text.indexOf(HIDDEN, at + 1)) {
    found.push({ start: at, end: at + HIDDEN.length, replacement: HIDDEN })
  }
  found.sort((one, other) => one.start - other.start || other.end - one.end)
  const parts: string[] = []
  let end = 0
  for (const each of found) {
    if (each.start >= end) parts.push(text.slice(end, each.start), each.replacement)
    end = Math.max(end, each.end)
  }
  return parts.join('') + text.slice(end)
}

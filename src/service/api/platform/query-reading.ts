import { PlatformError } from '../../platform/platform-error.js'
import { rowOf } from '../../platform/run-row.js'
import { exceededText, QUERY_BOUNDS } from './bounds.js'

/** A part of a pattern takes about as long to make as this many characters to read. */
const TO_MAKE = 1000
/** An object of the answer takes about as long to make as this many characters to read. */
const TO_SHOW = 250
/** A part of a pattern takes about a quarter as long for each character as to read it. */
const TO_SEARCH = 1 / 4

/** What one query has read and made: for its filters and orders, and for its lists inside of lists. */
export class QueryReading {
  #read = 0
  readonly #parsed = new Map<string, Record<string, unknown> | undefined>()

  /**
   * Counts what is read.
   *
   * @throws {PlatformError} When it is more than one query may read.
   */
  count(characters: number): void {
    this.#read += characters
    if (this.#read <= QUERY_BOUNDS.reading) return
    throw new PlatformError('limit', exceededText('reading', Math.ceil(this.#read)))
  }

  /** Reads an object from its JSON, once for all filters. Undefined if it is none. */
  object(json: string): Record<string, unknown> | undefined {
    if (!this.#parsed.has(json)) {
      this.count(json.length)
      this.#parsed.set(json, rowOf(json))
    }
    return this.#parsed.get(json)
  }

  /** Counts a pattern that is made. */
  pattern(parts: number): void {
    this.count(parts * TO_MAKE)
  }

  /** Counts an object of the answer. */
  shown(): void {
    this.count(TO_SHOW)
  }

  /** Counts a search with a pattern. */
  search(parts: number, text: string): void {
    this.count(parts * text.length * TO_SEARCH)
  }
}

import { PlatformError } from './platform-error.js'

/**
 * Lines that a client sends with the place of the first one. A retry sends the same lines to the same place, and they
 * count once.
 */
export class LineStream {
  readonly #lines: (string | undefined)[] = []
  #characters = 0

  /** The place after the last line. */
  get length(): number {
    return this.#lines.length
  }

  /** How many characters all lines have. */
  get characters(): number {
    return this.#characters
  }

  /** All lines in their order, without places that nobody wrote. */
  get lines(): readonly string[] {
    return this.#lines.filter((line) => line !== undefined)
  }

  /** Returns the last lines, at most `most`, in their order. */
  tail(most: number): readonly string[] {
    return most <= 0 ? [] : this.#lines.slice(-most).filter((line) => line !== undefined)
  }

  at(place: number): string | undefined {
    return this.#lines[place]
  }

  /** How many characters there would be more after a write. */
  growth(offset: number, lines: readonly string[]): number {
    return lines.reduce((sum, line, index) => {
      return sum + line.length - (this.#lines[offset + index]?.length ?? 0)
    }, 0)
  }

  /** How many characters the lines from a place on have. */
  charactersFrom(place: number): number {
    return this.#lines.slice(place).reduce((sum, line = '') => sum + line.length, 0)
  }

  /** Removes all lines. */
  clear(): void {
    this.#lines.length = 0
    this.#characters = 0
  }

  /** Returns a part of the stream. A place that nobody wrote is undefined. */
  slice(start: number, end: number): readonly (string | undefined)[] {
    return this.#lines.slice(start, end)
  }

  /** Writes lines from a place on. */
  write(offset: number, lines: readonly string[]): void {
    this.#characters += this.growth(offset, lines)
    while (this.#lines.length < offset) this.#lines.push(undefined)
    for (const [index, line] of lines.entries()) this.#lines[offset + index] = line
  }
}

/** @throws {PlatformError} When a place of a stream is not a whole number from 0 on. */
export function checkOffset(offset: number): void {
  if (Number.isSafeInteger(offset) && offset >= 0) return
  throw new PlatformError('invalid', `The offset is ${offset}; expected a whole number from 0 on.`)
}

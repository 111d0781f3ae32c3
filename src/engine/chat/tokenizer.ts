import { decodeGenerator, encode } from 'gpt-tokenizer/encoding/cl100k_base'

/** Nothing in a text is a special token: a client may write anything. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/**
 * The encoding takes time in proportion to the square of a run without a break, so longer ones are
 * broken here (50,000 letters took 2.7 s).
 */
const LONG_RUN = /\S{256}|\s{256}/gu

/** Of a longer text only so much is encoded, and the rest taken to be alike: a minute's work for 60 MB. */
const LONGEST_COUNTED = 1_000_000

const MOST_REMEMBERED = 1024
const LONGEST_REMEMBERED = 65_536

/** Texts as tokens. What was split lately is remembered, for rollouts send the same texts on. */
export class Tokenizer {
  readonly #split = new Map<string, readonly string[]>()
  readonly #counted = new Map<string, number>()

  /** The text, token by token; one that ends within a character goes with the next. */
  split(text: string): readonly string[] {
    const known = this.#split.get(text)
    if (known) return known
    const tokens = partsOf(text).flatMap((part) => [...decodeGenerator(encode(part, PLAIN))])
    // Half a surrogate pair has no bytes of its own.
    const pieces = tokens.join('') === text ? tokens : [text]
    remember(this.#split, text, pieces)
    return pieces
  }

  /** How many tokens the text has. */
  count(text: string): number {
    const known = this.#counted.get(text)
    if (known !== undefined) return known
    const counted = text.slice(0, LONGEST_COUNTED)
    const tokens = partsOf(counted).reduce((sum, part) => sum + encode(part, PLAIN).length, 0)
    const count = Math.ceil(tokens * (text.length / Math.max(1, counted.length)))
    remember(this.#counted, text, count)
    return count
  }
}

function remember<V>(known: Map<string, V>, text: string, value: V): void {
  if (text.length > LONGEST_REMEMBERED) return
  if (known.size === MOST_REMEMBERED) known.clear()
  known.set(text, value)
}

function partsOf(text: string): string[] {
  const parts: string[] = []
  let start = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    const end = index + run.length
    parts.push(text.slice(start, end))
    start = end
  }
  if (start < text.length) parts.push(text.slice(start))
  return parts
}

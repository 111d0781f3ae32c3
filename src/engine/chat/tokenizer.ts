import { decodeGenerator, encode } from 'gpt-tokenizer/encoding/cl100k_base'
import type { Token } from './token.js'

/** Texts never contain special tokens: a client may write anything. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/**
 * Encoding a run without spaces takes quadratic time (2.7 s for 50,000 letters), so longer runs are split.
 */
const LONG_RUN = /\S{256}|\s{256}/gu

/** Longer texts are encoded up to here, and the rest is estimated: 60 MB would take a minute. */
const LONGEST_COUNTED = 1_000_000

const MOST_REMEMBERED = 1024
const LONGEST_REMEMBERED = 65_536

/** Alternatives for a token. Each is one token. */
// prettier-ignore
const ALTERNATIVES = [
  ' the', ' a', ' to', ' and', ' of', ' in', ' is', ' it', ',', '.', ' that', ' for', ' on', ' with',
  ' as', ' this', ' be', ' not', ' I', ' you', ' we', '\n', ':', ' or', ' at', ' by',
]

/** Half of a surrogate pair, which encodings do not have. */
const LONE_SURROGATE = /(\p{Surrogate})/u

/** Splits texts into tokens. Caches recent texts, as rollouts send the same texts again. */
export class Tokenizer {
  readonly #split = new Map<string, readonly Token[]>()
  readonly #counted = new Map<string, number>()
  readonly alternatives: readonly Token[] = ALTERNATIVES.map((text) => this.split(text)[0]!)

  /** Splits a text into tokens. */
  split(text: string): readonly Token[] {
    const known = this.#split.get(text)
    if (known) return known
    const tokens = text.split(LONE_SURROGATE).flatMap((piece) => partsOf(piece).flatMap(tokensIn))
    remember(this.#split, text, tokens)
    return tokens
  }

  /** The ids of a text's tokens. */
  ids(text: string): number[] {
    const ids = partsOf(text.slice(0, LONGEST_COUNTED)).flatMap((part) => encode(part, PLAIN))
    return Array.from({ length: this.count(text) }, (_, index) => ids[index % ids.length]!)
  }

  /** The number of tokens in a text. */
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

function tokensIn(text: string): Token[] {
  const tokens = encode(text, PLAIN).map((id): Token => ({ id, text: '' }))
  let read = 0
  const reading = function* (): Generator<number> {
    for (const { id } of tokens) {
      read++
      yield id
    }
  }
  let joined = ''
  for (const piece of decodeGenerator(reading())) {
    tokens[read - 1]!.text = piece
    joined += piece
  }
  if (joined === text) return tokens
  // Text without bytes of its own, such as half of a surrogate pair, would come back changed.
  return tokens.map(({ id }, index) => ({ id, text: index === tokens.length - 1 ? text : '' }))
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

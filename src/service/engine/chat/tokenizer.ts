import {
  decode,
  decodeGenerator,
  encode,
  isWithinTokenLimit,
} from 'gpt-tokenizer/encoding/cl100k_base'
import { isShort, remember } from './remember.js'
import { ALTERNATIVES, type Token } from './token.js'

/** Never finds special tokens in a text, because clients may write anything. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/** Long runs without spaces are split, because encoding one takes quadratic time (2.7 s for 50,000 letters). */
const SHORTEST_RUN = 256
const LONG_RUN = new RegExp(String.raw`\S{${SHORTEST_RUN}}|\s{${SHORTEST_RUN}}`, 'gu')

/** A longer text is encoded up to here, and the rest is estimated. To encode 60 MB takes a minute. */
const LONGEST_COUNTED = 1_000_000

/** One half of a surrogate pair. Encodings do not have it. */
const LONE_SURROGATE = /(\p{Surrogate})/u

const ASCII = /^[\0-\x7f]*$/

/** Splits texts into tokens. Remembers recent texts, because rollouts send the same texts again. */
export class Tokenizer {
  readonly #split = new Map<string, readonly Token[]>()
  readonly #counted = new Map<string, number>()
  readonly alternatives: readonly Token[] = ALTERNATIVES.map((text) => this.split(text)[0]!)

  /** Splits a text into tokens. */
  split(text: string): readonly Token[] {
    const known = this.#split.get(text)
    if (known) return known
    const tokens = partsOf(text).flatMap(tokensIn)
    remember(this.#split, text, tokens)
    // An answer is a part of the next prompt.
    remember(this.#counted, text, tokens.length)
    return tokens
  }

  /** Returns the ids of the tokens in a text. */
  ids(text: string): number[] {
    const ids = partsOf(text.slice(0, LONGEST_COUNTED)).flatMap((part) => encode(part, PLAIN))
    return Array.from({ length: this.count(text) }, (_, index) => ids[index % ids.length]!)
  }

  /**
   * Returns the number of tokens in a text. Stops at a limit: if there are more than `most`, it returns a number
   * above `most`.
   */
  count(text: string, most = Infinity): number {
    const known = this.#counted.get(text)
    if (known !== undefined) return known
    if (!isShort(text)) return countLong(text, most)
    const count = partsOf(text).reduce((sum, part) => sum + encode(part, PLAIN).length, 0)
    remember(this.#counted, text, count)
    return count
  }
}

function countLong(text: string, most: number): number {
  const counted = text.slice(0, LONGEST_COUNTED)
  let tokens = 0
  for (const part of partsOf(counted)) {
    const count = isWithinTokenLimit(part, most - tokens, PLAIN)
    if (count === false) return most + 1
    tokens += count
  }
  return Math.ceil(tokens * (text.length / counted.length))
}

/** The texts of tokens that were read alone. There are as many as the encoding has tokens at most. */
const texts = new Map<number, string>()

function textOf(id: number): string {
  let text = texts.get(id)
  if (text === undefined) texts.set(id, (text = decode([id])))
  return text
}

function tokensIn(text: string): Token[] {
  const ids = encode(text, PLAIN)
  // A token of ASCII has whole characters, so that it can be read alone: in half of the time.
  if (ASCII.test(text)) return ids.map((id) => ({ id, text: textOf(id) }))
  const tokens = ids.map((id): Token => ({ id, text: '' }))
  let read = 0
  const reading = function* (): Generator<number> {
    for (const { id } of tokens) {
      read++
      yield id
    }
  }
  let joined = ''
  // Each token has the text that it completes.
  for (const piece of decodeGenerator(reading())) {
    tokens[read - 1]!.text += piece
    joined += piece
  }
  if (joined === text) return tokens
  // A text that the encoding cannot represent, such as half of a surrogate pair, stays as it is.
  return tokens.map(({ id }, index) => ({ id, text: index === tokens.length - 1 ? text : '' }))
}

/** The parts that are encoded alone. */
function partsOf(text: string): string[] {
  // The expressions for all other texts take as long as to encode such a text.
  if (text.length < SHORTEST_RUN && ASCII.test(text)) return [text]
  return text.split(LONE_SURROGATE).flatMap(withoutLongRuns)
}

function withoutLongRuns(text: string): string[] {
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

import { Tokenizer } from '@huggingface/tokenizers'
import type { TokenizerFiles } from '../../scenario/tokenizer-files.js'
import { remember } from './remember.js'
import type { Token } from './token.js'

interface AddedToken {
  id: number
  content: string
  lstrip?: boolean
  rstrip?: boolean
  single_word?: boolean
  normalized?: boolean
  special?: boolean
}

/** The encoding of a tokenizer that a model brings: texts to ids, and ids to the texts of tokens. */
export class OwnEncoding {
  readonly mostCharacters: number
  readonly #tokenizer: Tokenizer
  readonly #added: AddedTokens
  /** Whether a text between two added tokens has the same ids wherever it stands. */
  readonly #isLocal: boolean
  readonly #known = new Map<string, readonly number[]>()
  readonly #split = new Map<string, readonly Token[]>()
  /** The texts of tokens that stand alone, by their ids. */
  readonly #single = new Map<number, string>()

  /** @throws {Error} When a part of the tokenizer is of a kind that the library does not know. */
  constructor({ tokenizer, config }: TokenizerFiles) {
    this.#tokenizer = new Tokenizer(tokenizer, config)
    const added = tokenizer['added_tokens'] as readonly AddedToken[]
    this.#added = new AddedTokens(added)
    this.#isLocal = added.every(isPlain) && !dependsOnPlace(tokenizer)
    let most = 1
    for (const token of this.#tokenizer.get_vocab().keys())
      most = Math.max(most, token?.length ?? 0)
    this.mostCharacters = most
  }

  /** Returns the ids of the tokens in a text. Added tokens are found, wherever they stand. */
  ids(text: string): readonly number[] {
    if (!this.#isLocal) return this.#encode(text)
    // Conversations grow, and their beginnings stay the same.
    return this.#added.parts(text).flatMap((part) => {
      if (typeof part !== 'string') return part.id
      const known = this.#known.get(part)
      if (known) return known
      const ids = this.#encode(part)
      remember(this.#known, part, ids)
      return ids
    })
  }

  /** The text from the last added token on. What follows can change the ids of nothing before it. */
  tail(text: string): string {
    return text.slice(this.#added.lastIn(text) ?? 0)
  }

  /** The first special token in a text, such as one that ends a turn. */
  firstSpecial(text: string): { before: string; token: string } | undefined {
    let before = ''
    for (const part of this.#added.parts(text)) {
      if (typeof part !== 'string' && part.special) return { before, token: part.content }
      before += typeof part === 'string' ? part : part.content
    }
    return undefined
  }

  /** Splits a text into tokens. */
  split(text: string): readonly Token[] {
    const known = this.#split.get(text)
    if (known) return known
    const ids = this.ids(text)
    // The encoding cannot represent the text, or changes it. It stays as it is.
    const tokens =
      this.tokens(ids, text) ??
      ids.map((id, index) => ({ id, text: index === ids.length - 1 ? text : '' }))
    remember(this.#split, text, tokens)
    return tokens
  }

  /** Returns tokens with these ids. Undefined if their texts together are not the given one. */
  tokens(ids: readonly number[], text: string): readonly Token[] | undefined {
    const texts = this.#texts(ids)
    if (texts.join('') !== text) return undefined
    return ids.map((id, index) => ({ id, text: texts[index]! }))
  }

  /** The text that each token adds to those before it. A token that ends inside a character adds nothing. */
  #texts(ids: readonly number[]): string[] {
    let [from, read] = [0, 0]
    return ids.map((_id, index) => {
      const before = this.#decode(ids.slice(from, read))
      const after = this.#decode(ids.slice(from, index + 1))
      const isInside = after.endsWith('\uFFFD') && index < ids.length - 1
      if (isInside || after.length <= before.length) return ''
      from = read
      read = index + 1
      return after.slice(before.length)
    })
  }

  #decode(ids: readonly number[]): string {
    if (ids.length === 0) return ''
    const known = ids.length === 1 ? this.#single.get(ids[0]!) : undefined
    if (known !== undefined) return known
    const options = { skip_special_tokens: false, clean_up_tokenization_spaces: false }
    const text = this.#tokenizer.decode([...ids], options)
    if (ids.length === 1) this.#single.set(ids[0]!, text)
    return text
  }

  #encode(text: string): readonly number[] {
    if (text === '') return []
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids
  }
}

function isPlain({ lstrip, rstrip, single_word, normalized }: AddedToken): boolean {
  return !lstrip && !rstrip && !single_word && !normalized
}

/** Whether the ids of a text depend on what is before it: some tokenizers add a space only at the beginning. */
function dependsOnPlace({ pre_tokenizer: own, normalizer }: TokenizerFiles['tokenizer']): boolean {
  return /"type":"(?:Metaspace|Prepend)"/.test(JSON.stringify([own, normalizer]))
}

/** Finds added tokens in texts. A tokenizer may have thousands of them. */
class AddedTokens {
  readonly #byContent: ReadonlyMap<string, AddedToken>
  /** Their lengths, the longest first. */
  readonly #lengths: readonly number[]
  readonly #first: ReadonlySet<string>

  constructor(tokens: readonly AddedToken[]) {
    this.#byContent = new Map(tokens.map((token) => [token.content, token]))
    const contents = [...this.#byContent.keys()].filter((content) => content !== '')
    this.#lengths = [...new Set(contents.map(({ length }) => length))].toSorted((a, b) => b - a)
    this.#first = new Set(contents.map((content) => content[0]!))
  }

  /** The texts and added tokens that a text consists of. */
  parts(text: string): (string | AddedToken)[] {
    const parts: (string | AddedToken)[] = []
    let start = 0
    for (let at = 0; at < text.length;) {
      const found = this.#at(text, at)
      if (!found) {
        at++
        continue
      }
      if (at > start) parts.push(text.slice(start, at))
      parts.push(found)
      start = at += found.content.length
    }
    if (start < text.length) parts.push(text.slice(start))
    return parts
  }

  /** Where the last added token begins. */
  lastIn(text: string): number | undefined {
    for (let at = text.length - 1; at >= 0; at--) if (this.#at(text, at)) return at
    return undefined
  }

  #at(text: string, at: number): AddedToken | undefined {
    if (!this.#first.has(text[at]!)) return undefined
    for (const length of this.#lengths) {
      const found = this.#byContent.get(text.slice(at, at + length))
      if (found) return found
    }
    return undefined
  }
}

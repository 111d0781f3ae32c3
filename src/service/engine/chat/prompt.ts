import type { Conversation, Piece } from './template.js'
import { ANYTHING } from './token.js'
import type { Tokenizer } from './tokenizer.js'

export type { Conversation } from './template.js'

/** Counts the tokens of a conversation. Stops at a limit, as `tokensIn` does. */
export type CountTokens = (conversation: Conversation, most: number) => number

/**
 * Returns the number of tokens in pieces of a prompt. Stops at a limit: a number above `most` only says that there are
 * more, so a prompt that is far too long costs no more than one that is too long by a token.
 */
export function tokensIn(pieces: Iterable<Piece>, tokenizer: Tokenizer, most: number): number {
  let count = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') count += tokenizer.count(piece, most - count)
    else count++
    if (count > most) break
  }
  return count
}

/** Returns the ids of these tokens. */
export function idsIn(pieces: Iterable<Piece>, tokenizer: Tokenizer): number[] {
  return [...pieces].flatMap((piece) => {
    return typeof piece === 'string' ? tokenizer.ids(piece) : piece.id
  })
}

/** Returns the number of characters in pieces of a prompt. Images and other media have none. */
export function pieceCharacters(pieces: Iterable<Piece>): number {
  let count = 0
  for (const piece of pieces) {
    if (piece === ANYTHING) continue
    count += charactersIn(typeof piece === 'string' ? piece : piece.text)
  }
  return count
}

/** Counts a pair of surrogates as one character, as the server does. Iterating over characters is 10 times slower. */
export function charactersIn(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count--
  return count
}

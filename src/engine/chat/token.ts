/** A token of the encoding, and the text that it stands for. */
export interface Token {
  id: number
  /** Empty if the token ends inside a character: the last token of the character has all of it. */
  text: string
}

/** What begins a message, and what ends one; a model ends its answer with the latter. */
export const START: Token = { id: 100_264, text: '<|im_start|>' }
export const END: Token = { id: 100_265, text: '<|im_end|>' }
export const NEW_LINE: Token = { id: 198, text: '\n' }
/** Stands for each token of an image or the like. */
export const ANYTHING: Token = { id: 100_257, text: '<|endoftext|>' }

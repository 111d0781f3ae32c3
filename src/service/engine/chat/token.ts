/** A token of an encoding, with its text. */
export interface Token {
  id: number
  /**
   * What the client sees of it. Empty if the token ends inside a character. The last token of that character has the
   * whole character.
   */
  text: string
  /** The text that the token stands for, if the client does not see all of it. */
  whole?: string
}

/** The tokens of the built-in encoding that begin and end a message. A model ends its answer with `END`. */
export const START: Token = { id: 100_264, text: '<|im_start|>' }
export const END: Token = { id: 100_265, text: '<|im_end|>' }
export const NEW_LINE: Token = { id: 198, text: '\n' }
/** The id for each token of an image or other media. */
export const ANYTHING: Token = { id: 100_257, text: '<|endoftext|>' }

/** Alternatives for a token in log probabilities. Each is one token in most encodings, and in the built-in one. */
// oxfmt-ignore
export const ALTERNATIVES = [
  ' the', ' a', ' to', ' and', ' of', ' in', ' is', ' it', ',', '.', ' that', ' for', ' on', ' with',
  ' as', ' this', ' be', ' not', ' I', ' you', ' we', '\n', ':', ' or', ' at', ' by',
]

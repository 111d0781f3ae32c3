import {
  anyObject,
  either,
  nonEmptyText,
  Options,
  parts,
  required,
  wholeNumber,
  type Kind,
} from '../base/text/options.js'
import { readTokenizerFiles, TokenizerFlaw } from '../service/scenario/tokenizer-files.js'

/** A base model, for `createEmulator`. */
export interface BaseModelOptions {
  /** The id of the base model. */
  id: string
  /** The most tokens of a prompt and its answer. Default: `chat.context_window` of the scenario. */
  contextWindow?: number | undefined
  /**
   * The tokenizer: a folder with `tokenizer.json` and `tokenizer_config.json`, relative to the working
   * directory, or the content of these files. A browser needs the content. Default: the built-in encoding.
   */
  tokenizer?: string | TokenizerContent | undefined
}

/** The content of a folder with a tokenizer, as model hubs publish it. */
export interface TokenizerContent {
  /** The parsed `tokenizer.json`. */
  tokenizer: object
  /** The parsed `tokenizer_config.json`. */
  config: object
  /** The content of `chat_template.jinja`. Default: the template in `config`. */
  chatTemplate?: string | undefined
}

const contentKind: Kind = {
  check(value, place) {
    tokenizerContent.checkAt(value, place)
    const read = readTokenizerFiles(value as TokenizerContent)
    if (read instanceof TokenizerFlaw) place.refuse(`cannot be used: ${read.file} ${read.problem}.`)
  },
}

export const tokenizerContent = new Options<TokenizerContent>('createEmulator', {
  tokenizer: required(anyObject),
  config: required(anyObject),
  chatTemplate: nonEmptyText,
})

export const baseModelOptions = new Options<BaseModelOptions>('createEmulator', {
  id: required(nonEmptyText),
  contextWindow: wholeNumber({ least: 1 }),
  tokenizer: either((value) => typeof value === 'string' && value !== '', contentKind),
})

/** An id, or an object with options. */
export const baseModelKind = either(
  (value) => typeof value === 'string' && value !== '',
  parts(baseModelOptions),
)

/** The base models of `createEmulator`. */
export type EmulatorBaseModels = 'documented' | readonly (string | BaseModelOptions)[]

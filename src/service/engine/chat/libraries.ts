import type { findPattern } from '../../../base/text/pattern.js'
import type * as judgeModule from './judge/judge.js'
import type { Learner } from './learner/learner.js'
import type { ModelTokens } from './model-tokens.js'
import type { Structures } from './structures.js'
import type { TokenizerFiles } from '../../scenario/tokenizer-files.js'
import type { Sentences } from './sentences.js'

/** The libraries that chats use. Each is loaded by the first chat that needs it. */
export class Libraries {
  #builtIn: ModelTokens | undefined
  /** By the files of their tokenizers. */
  readonly #tokens = new WeakMap<TokenizerFiles, ModelTokens>()
  sentences: Sentences | undefined
  structures: Structures | undefined
  findPattern: typeof findPattern | undefined
  judge: typeof judgeModule | undefined
  learner: typeof Learner | undefined
  #loading = 0

  /** Whether a library is being loaded, which takes real time. */
  get isLoading(): boolean {
    return this.#loading > 0
  }

  /** Loads the libraries that a chat needs. Undefined if all of them are loaded. */
  load(needs: Partial<Needs>): Promise<void> | undefined {
    const missing: Promise<void>[] = []
    const { tokenizer: files } = needs
    if (!files && !this.#builtIn) missing.push(this.#loadBuiltIn())
    if (files && !this.#tokens.has(files)) missing.push(this.#loadTokens(files))
    if (needs.sentences && !this.sentences) missing.push(this.#loadSentences())
    if (needs.structures && !this.structures) missing.push(this.#loadStructures())
    if (needs.patterns && !this.findPattern) missing.push(this.#loadPatterns())
    if (needs.judge && !this.judge) missing.push(this.#loadJudge())
    if (needs.learner && !this.learner) missing.push(this.#loadLearner())
    if (missing.length === 0) return undefined
    this.#loading++
    return Promise.all(missing)
      .then(() => {})
      .finally(() => void this.#loading--)
  }

  /** The tokens of a model, after they were loaded. Without files, those of the built-in encoding. */
  tokensOf(files: TokenizerFiles | undefined): ModelTokens {
    return (files ? this.#tokens.get(files) : this.#builtIn)!
  }

  async #loadBuiltIn(): Promise<void> {
    const { BuiltInTokens: Loaded } = await import('./built-in-tokens.js')
    this.#builtIn ??= new Loaded()
  }

  async #loadTokens(files: TokenizerFiles): Promise<void> {
    const { tokensFor } = await import('./own-tokens.js')
    this.#tokens.set(files, tokensFor(files))
  }

  async #loadSentences(): Promise<void> {
    const { Sentences: Loaded } = await import('./sentences.js')
    this.sentences ??= new Loaded()
  }

  async #loadStructures(): Promise<void> {
    const { Structures: Loaded } = await import('./structures.js')
    this.structures ??= new Loaded()
  }

  async #loadPatterns(): Promise<void> {
    const { findPattern: loaded } = await import('../../../base/text/pattern.js')
    this.findPattern = loaded
  }

  async #loadLearner(): Promise<void> {
    const { Learner: Loaded } = await import('./learner/learner.js')
    this.learner = Loaded
  }

  async #loadJudge(): Promise<void> {
    this.judge = await import('./judge/judge.js')
  }
}

export interface Needs {
  /** The files of the tokenizer of the model. Undefined if it uses the built-in encoding. */
  tokenizer: TokenizerFiles | undefined
  sentences: boolean
  structures: boolean
  patterns: boolean
  judge: boolean
  learner: boolean
}

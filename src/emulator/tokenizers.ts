import { DOCUMENTED_BASE_MODELS } from '../base/text/vendor/base-models.js'
import { ScenarioError, type ScenarioProblem } from '../service/scenario/scenario-error.js'
import type { Scenario } from '../service/scenario/scenario.js'
import {
  readTokenizerFiles,
  type TokenizerFiles,
  type TokenizerSource,
} from '../service/scenario/tokenizer-files.js'
import type { BaseModelOptions, EmulatorBaseModels } from './base-model-options.js'

/** Reads a folder with a tokenizer. Returns what is wrong if it cannot be used. */
export type ReadTokenizerFolder = (folder: string) => TokenizerFiles | string

/** The base models of the options, and the tokenizers of all base models. */
export class Tokenizers {
  readonly #given: readonly BaseModelOptions[]
  readonly #read: ReadTokenizerFolder
  /** The files whose content was given, by the ids of the base models. */
  readonly #contents = new Map<string, TokenizerFiles>()

  /** The content of folders, by their paths. */
  readonly #folders = new Map<string, TokenizerFiles>()

  /** @param read - Default: there are no folders. */
  constructor(given: EmulatorBaseModels = [], read = noFolders) {
    const listed = given === 'documented' ? DOCUMENTED_BASE_MODELS : given
    this.#given = listed.map((each) => (typeof each === 'string' ? { id: each } : each))
    this.#read = read
    for (const { id, tokenizer } of this.#given) {
      if (typeof tokenizer !== 'object') continue
      // It was checked with the options.
      this.#contents.set(id, readTokenizerFiles(tokenizer) as TokenizerFiles)
    }
  }

  /** Adds the base models of the options to a scenario. They replace those with the same id. */
  completed(scenario: Scenario): Scenario {
    if (this.#given.length === 0) return scenario
    const others = scenario.base_models.filter((each) => !this.#replaces(each))
    const own = this.#given.map(({ id, contextWindow, tokenizer }) => ({
      id,
      ...(contextWindow !== undefined && { context_window: contextWindow }),
      ...(typeof tokenizer === 'string' && { tokenizer }),
    }))
    return { ...scenario, base_models: [...others, ...own] }
  }

  /**
   * Reads the folders of a scenario and of the options, so that a wrong one is found at the start. Chats use what was
   * read here, also if the files change later.
   *
   * @throws {ScenarioError} When a folder cannot be used.
   */
  load(scenario: Scenario): void {
    const read = new Map<string, TokenizerFiles>()
    // Nothing uses what is replaced. Its place stays, for the messages about the others.
    const used = scenario.base_models.map((each) => (this.#replaces(each) ? undefined : each))
    const problems = [
      ...this.#readAll('base_models', used, read),
      ...this.#readAll('option baseModels', this.#given, read),
    ]
    if (problems.length > 0) throw new ScenarioError('The tokenizers cannot be used', problems)
    for (const [folder, files] of read) this.#folders.set(folder, files)
  }

  /** Whether a base model of the options replaces one of the scenario. */
  #replaces(own: Scenario['base_models'][number]): boolean {
    const replaced = typeof own === 'string' ? own : own.id
    return this.#given.some(({ id }) => id === replaced)
  }

  readonly filesOf: TokenizerSource = (baseModel, folder) => {
    const content = this.#contents.get(baseModel)
    return content ?? (folder === undefined ? undefined : this.#folders.get(folder))
  }

  /** Reads the folders of a list of base models. Returns their problems. */
  #readAll(
    list: string,
    models: readonly (string | { tokenizer?: unknown } | undefined)[],
    all: Map<string, TokenizerFiles>,
  ): ScenarioProblem[] {
    return models.flatMap((each, index) => {
      const { tokenizer: folder } = Object(each) as { tokenizer?: unknown }
      if (typeof folder !== 'string') return []
      const read = this.#read(folder)
      if (typeof read === 'string') return { place: `${list}[${index}].tokenizer`, message: read }
      all.set(folder, read)
      return []
    })
  }
}

const noFolders: ReadTokenizerFolder = (folder) => {
  return `${folder} cannot be read here, because there are no files; pass its content: createEmulator({ baseModels: [{ id, tokenizer: { tokenizer, config } }] })`
}

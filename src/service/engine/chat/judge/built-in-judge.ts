import { counted } from '../../../../base/text/counted.js'
import { matchesGlob } from '../../../../base/text/glob.js'
import { shortened } from '../../../../base/text/shortened.js'
import { isAmong } from '../../../scenario/condition.js'
import type { JudgeMistake, JudgeRules } from '../../../scenario/scenario.js'
import type { BaseWorld } from '../../base-world.js'
import { isArtifactName } from '../../served-models.js'
import type { FilledReply } from '../answer.js'
import type { ChatParams } from '../chat-params.js'
import type { Libraries } from '../libraries.js'
import { havePatterns } from '../match.js'
import { savedJudge, type JudgeCount } from '../saved-chat.js'
import type { Judging } from './judging.js'

/** The model that answers: a base model, or an adapter of a trained one. */
interface ServedFacts {
  readonly kind: 'base' | 'adapter'
  readonly name: string
}

/** What an answer to a request for scores was. */
interface Judgment {
  /** For the journal. */
  readonly effect: string
  /** The mistake that hides the scores from the client. */
  readonly unreadable: JudgeMistake | undefined
}

/** An answer to a request for scores. It is made once, when somebody asks for one of the two. */
interface ScoredAnswer {
  readonly make: () => FilledReply
  readonly judgment: () => Judgment
}

/** Finds out which chats ask a judge for scores, and answers them as the scenario says. Its code loads with the first one. */
export class BuiltInJudge {
  readonly #world: BaseWorld
  readonly #libraries: Libraries
  #count: JudgeCount = { calls: 0, mistakes: 0 }
  /** What of it was there when the world was restored. */
  #before: JudgeCount = this.#count

  constructor(world: BaseWorld, libraries: Libraries) {
    this.#world = world
    this.#libraries = libraries
  }

  /** How often it was called, and how many of its answers had a mistake. */
  get count(): JudgeCount {
    return this.#count
  }

  /** What of it happened since the world was restored. */
  get countSince(): JudgeCount {
    const [count, before] = [this.#count, this.#before]
    return { calls: count.calls - before.calls, mistakes: count.mistakes - before.mistakes }
  }

  /** Restores a saved count. */
  restore(count: JudgeCount): void {
    this.#count = count
    this.#before = count
  }

  get rules(): JudgeRules | undefined {
    const { judge: rules } = this.#world.scenario.chat
    return rules === false ? undefined : rules
  }

  /** Whether it answers a request whose model does not exist. */
  async answers(params: ChatParams): Promise<boolean> {
    await this.prepare()
    return this.isJudging(params, undefined)
  }

  /** Loads what `isJudging` needs. Undefined if it is loaded. */
  prepare(): Promise<void> | undefined {
    const patterns = havePatterns([], this.rules?.rules)
    return this.#libraries.load({ judge: true, patterns })
  }

  /** Whether a request asks for scores. Call `prepare` before. */
  isJudging(params: ChatParams, served: ServedFacts | undefined): boolean {
    return this.read(params, served) !== undefined
  }

  /** Whether a request may ask for scores: others ask for no structure, and may be rollouts. */
  mayJudge(params: ChatParams, served?: ServedFacts): boolean {
    if (this.#world.scenario.chat.judge === false) return false
    const { model } = params
    return demandsStructure(params) || this.isNamed(model) || !this.#mayTrain(model, served)
  }

  /** Whether the scenario names a model as a judge. Such a model need not exist. */
  isNamed(model: string): boolean {
    const models = this.rules?.models
    return models !== undefined && matchesGlob(model, models)
  }

  #mayTrain(model: string, served: ServedFacts | undefined): boolean {
    const { store } = this.#world
    return served?.kind === 'adapter' || isArtifactName(store, model) || store.mayTrain(model)
  }

  /** Reads what a request asks to be scored. Undefined if it asks for no scores. */
  read(params: ChatParams, served: ServedFacts | undefined): Judging | undefined {
    const { judge } = this.#libraries
    // It is not loaded for a model that was trained here when the chat came, and was deleted since.
    if (!judge || !this.mayJudge(params, served)) return undefined
    const { model } = params
    return judge.readJudging(params, {
      served,
      isNamed: this.isNamed(model) || (served !== undefined && this.isNamed(served.name)),
      isTrained: this.#mayTrain(model, served),
      rules: this.rules,
      finder: this.#libraries,
    })
  }

  /**
   * Counts a call, and returns its mistake.
   *
   * @param uncount - Gets what takes the count back, for a request that is refused.
   */
  nextMistake(uncount: (() => void)[]): JudgeMistake | undefined {
    const { rules } = this
    const calls = this.#count.calls + 1
    const isWrong =
      rules?.mistake !== undefined &&
      isAmong(calls, rules.calls) &&
      this.#world.random.unit('judge mistake', calls) < (rules.probability ?? 1)
    const all = [rules?.mistake ?? []].flat()
    const mistake = isWrong ? all[this.#count.mistakes % all.length] : undefined
    const add = (by: 1 | -1): void => {
      const { calls: before, mistakes } = this.#count
      this.#count = { calls: before + by, mistakes: mistakes + (isWrong ? by : 0) }
      this.#world.changes.changed(savedJudge)
    }
    add(1)
    uncount.push(() => add(-1))
    return mistake
  }

  /** Returns what makes the answer, the same for each choice, and what says what the answer was. */
  scored(judging: Judging, mistake: JudgeMistake | undefined): ScoredAnswer {
    const { random } = this.#world
    const finder = this.#libraries
    const judge = finder.judge!
    const world = { random, structures: finder.structures!, finder, rules: this.rules }
    let answer: FilledReply | undefined
    const make = (): FilledReply => (answer ??= judge.judgment(judging, world, mistake))
    return {
      make,
      judgment: () => {
        // It draws the scores.
        make()
        const made = mistake && judge.madeMistake(mistake, judging.kind)
        return {
          effect: formatJudgment(judging, made),
          unreadable: made && judge.hidesScore(made, judging) ? made : undefined,
        }
      },
    }
  }
}

/** Whether a request demands an answer of a certain structure. */
function demandsStructure({ format, toolChoice }: ChatParams): boolean {
  return typeof format === 'object' || typeof toolChoice === 'object' || toolChoice === 'required'
}

function formatJudgment({ judged, given }: Judging, mistake: JudgeMistake | undefined): string {
  const what = `judged ${counted(judged.size, 'text')}`
  return mistake === undefined
    ? `${what}: ${shortened([...given.values()].join(', '), LONGEST_SCORES)}`
    : `${what}, with the mistake ${mistake}`
}

/** The most characters of the scores that the journal shows. */
const LONGEST_SCORES = 80

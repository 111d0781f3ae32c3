import type { JudgeMistake } from '../../../scenario/scenario.js'
import type { FilledReply } from '../answer.js'
import { judgment, type JudgeWorld } from './answer.js'
import type { Judging } from './judging.js'
import { hidesScore, madeMistake } from './mistakes.js'
import { readJudging } from './request.js'

/** A model that scores texts. */
export class Judge {
  /** Reads a request for scores. Undefined for all other requests. */
  static readonly read = readJudging
  /** What a mistake is in an answer of a kind. */
  static readonly madeMistake = madeMistake
  /** Whether such a mistake leaves no score to read. */
  static readonly hidesScore = hidesScore
  readonly #world: JudgeWorld

  constructor(world: JudgeWorld) {
    this.#world = world
  }

  /** Answers a request for scores, with a mistake if there is one. */
  answer(judging: Judging, mistake: JudgeMistake | undefined): FilledReply {
    return judgment(judging, this.#world, mistake)
  }
}

import type { ReadAnswer } from './read-trajectory.js'
import type { Sample } from './sample.js'
import type { TrainedAnswer } from './trained-job.js'

/**
 * Which answers of a job lack log probabilities, and which of them lost what a client could have submitted.
 *
 * A job may need them, so that an answer without them contributes nothing. It may do without. If nothing says it, the
 * others of its batch do: one loop asks for log probabilities in all of its chats, or in none.
 */
export class LogprobsOfJob {
  /** Undefined if it is not known. */
  readonly #areNeeded: boolean | undefined
  /** Choices without log probabilities, and whether others have them. */
  readonly #unscored: TrainedAnswer[] = []
  #areScored = false

  constructor(areNeeded: boolean | undefined) {
    this.#areNeeded = areNeeded
  }

  get areNeeded(): boolean {
    return this.#areNeeded === true
  }

  /** What an answer shows by itself, or beside its sample. */
  of(
    answer: ReadAnswer,
    sample: Sample | undefined,
  ): Pick<TrainedAnswer, 'noLogprobs' | 'lostLogprobs'> {
    if (answer.hasLogprobs()) return {}
    // Whether a job trains plain messages may be unknown.
    const isLost = this.areNeeded || (sample?.logprobs === true && !answer.isPlain)
    return {
      noLogprobs: this.#areNeeded !== false || undefined,
      lostLogprobs: (isLost && sample?.isEdited !== true) || undefined,
    }
  }

  /**
   * Notes an answer for `markLost`.
   *
   * @param isOwn Whether the model of the job gave it, as far as one knows, and no fault changed it.
   */
  note({ isPlain, text }: ReadAnswer, trained: TrainedAnswer, isOwn: () => boolean): void {
    if (this.#areNeeded !== undefined || isPlain || text === '') return
    if (!trained.noLogprobs) this.#areScored = true
    else if (isOwn()) this.#unscored.push(trained)
  }

  /** Marks the answers that lost them, as others of the batch show. */
  markLost(): void {
    if (this.#areScored) for (const each of this.#unscored) each.lostLogprobs = true
  }
}

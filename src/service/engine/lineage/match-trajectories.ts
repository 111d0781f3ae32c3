import { countsOf } from '../../../base/text/counted.js'
import { finite } from '../../../base/text/non-finite.js'
import type { Trajectory, TrajectoryGroup } from '../../contract/trajectory.js'
import { hasVariance } from '../jobs/batch.js'
import type { ModelState } from '../model.js'
import { formatDrift } from './drift.js'
import { LogprobsOfJob } from './logprobs-of-job.js'
import { changeOf, driftOf } from './changed-answer.js'
import { contentOf, type ContentKey } from './content-key.js'
import type { Contents } from './contents.js'
import type { FailedChats } from './failed-chats.js'
import { promptsOf, type FirstAnswer } from './prompts.js'
import { readTrajectory, type ReadAnswer, type ReadTrajectory } from './read-trajectory.js'
import type { Sample } from './sample.js'
import type { Samples } from './samples.js'
import {
  answersOf,
  numbersIn,
  type FailedCall,
  type TrainedAnswer,
  type TrainedGroup,
  type TrainedTrajectory,
  type TrajectoryPlace,
} from './trained-job.js'

/** What is known about the chats of a world. */
interface KnownChats {
  readonly samples: Samples
  readonly failed: FailedChats
  isUsed: (sample: Sample) => boolean
  useOf: (sample: Pick<Sample, 'number'>) => TrajectoryPlace | undefined
  hasFailed: (job: string) => boolean
  /** The id of the model that a job trains. */
  modelOf: (job: string) => string | undefined
  isGuessed: (sample: number) => boolean
  use: (answers: readonly TrainedAnswer[], place: TrajectoryPlace) => void
  /** What is known about answers without samples. */
  readonly contents: Contents
}

/** In place of the id of a job, for trajectories that are only logged. No place in a job has it. */
export const NO_JOB = ''

/** The job whose trajectories are matched. */
interface MatchedJob {
  readonly model: ModelState
  /** Its id, or `NO_JOB`. */
  readonly job: string
  /** Whether an answer without log probabilities contributes nothing. Undefined if that is not known. */
  readonly needsLogprobs: boolean | undefined
}

/** What is known about a trajectory that is logged. */
interface LoggedTrajectory {
  /** The numbers of its samples. */
  readonly samples: readonly number[]
  /** Where the same answers from elsewhere were trained. */
  readonly trained: TrajectoryPlace | undefined
}

const AFTER_CHANGE = { why: 'an answer before it is not the sampled one' }

/** Finds the samples of the trajectories of one job. */
export class TrajectoryMatcher {
  readonly #known: KnownChats
  readonly #model: ModelState
  readonly #job: string
  /** The ids of the models whose answers are meant: that of the job, and its base model. */
  readonly #models: readonly string[]

  readonly #logprobs: LogprobsOfJob
  /** Answers of the model that were submitted as messages between choices, and the answers of their trajectories. */
  readonly #context: { readonly answer: TrainedAnswer; readonly answers: TrainedAnswer[] }[] = []

  constructor(known: KnownChats, { model, job, needsLogprobs }: MatchedJob) {
    this.#known = known
    this.#logprobs = new LogprobsOfJob(needsLogprobs)
    this.#model = model
    this.#job = job
    this.#models = [model.record.id, model.record.base_model]
  }

  /** Finds the samples of all groups that a job submits. */
  groups(groups: readonly TrajectoryGroup[]): TrainedGroup[] {
    const matched = groups.map((group, index) => this.#group(group, index))
    // Only the whole batch tells which messages were trained elsewhere, and whether its loop asks for log probabilities.
    this.#addUntrained(matched)
    this.#logprobs.markLost()
    return matched
  }

  #group({ trajectories = [] }: TrajectoryGroup, group: number): TrainedGroup {
    const rewards = trajectories.map(({ reward = 0 }) => reward)
    const found = trajectories.map((each, trajectory) => {
      return this.#match(each, { job: this.#job, group, trajectory })
    })
    const prompts = promptsOf(found.map(({ trained: { begins }, first }) => ({ begins, first })))
    const matched = found.map(({ trained }, index) => ({ ...trained, begins: prompts[index]! }))
    return { isEqual: !hasVariance(rewards), trajectories: matched }
  }

  #match(
    trajectory: Trajectory,
    place: TrajectoryPlace,
  ): { trained: TrainedTrajectory; first: FirstAnswer | undefined } {
    const read = readTrajectory(trajectory)
    const step = this.#commonStep(read.answers)
    // One for each of the answers that were read. The examples of a prompt are no answers.
    const matched = this.#afterChanges(
      read.answers,
      read.answers.map((answer) => this.#answer(answer, step)),
    )
    const answers = matched.filter((_, index) => !isExample(index, read.answers, matched))
    const first = read.answers.find((_, index) => matched[index] === answers[0])
    this.#noteLogprobs(read.answers, matched)
    const numbers = numbersIn(answers)
    const isSampled = numbers.length === answers.length
    // Asked before this trajectory uses its samples, and before its content is known as trained.
    const duplicateOf = isSampled && numbers.length > 0 ? this.#useOfAll(numbers) : undefined
    this.#known.use(answers, place)
    const { broken } = read
    const content = isSampled ? undefined : contentOf(read)
    const { contents } = this.#known
    const known = contents.get(content)
    const trained = {
      reward: finite(trajectory.reward ?? 0),
      begins: first?.hashes.prompt ?? 0,
      answers,
      broken: broken.length > 0 ? broken : undefined,
      failed: this.#failedFor(read, matched) ?? this.#judgeFailedFor(numbers),
      duplicateOf: duplicateOf ?? this.#earlier(content, known?.place),
      isAmbiguous: this.#isTwin(content, known?.place) || undefined,
      split: this.#splitOf(numbers) ?? (content?.isDistinct ? known?.split : undefined),
    }
    if (content) contents.add(content, { place })
    if (this.#logprobs.areNeeded) this.#addContext(read, answers)
    return { trained, first: read.placeOf(first) }
  }

  /** Marks answers that no chat gave after these messages, because an answer before them was changed. */
  #afterChanges(
    answers: readonly ReadAnswer[],
    matched: readonly TrainedAnswer[],
  ): TrainedAnswer[] {
    let edited: number | undefined
    return matched.map((each, index) => {
      const { history, words } = answers[index]!
      const { sample, changed } = each
      if (sample === undefined) {
        const isAfter = changed === undefined && history !== undefined && history === edited
        return isAfter ? { ...each, changed: AFTER_CHANGE } : each
      }
      if (changed !== undefined && this.#known.samples.get(sample)?.words !== words)
        edited = history
      return each
    })
  }

  /** Notes which answers of the model have log probabilities. */
  #noteLogprobs(answers: readonly ReadAnswer[], matched: readonly TrainedAnswer[]): void {
    for (const [index, each] of matched.entries()) {
      this.#logprobs.note(answers[index]!, each, () => {
        if (each.model !== undefined && !this.#models.includes(each.model)) return false
        return this.#known.samples.get(each.sample ?? 0)?.isEdited !== true
      })
    }
  }

  /** Remembers messages of the model that are not trained. `answers` are those of the same trajectory. */
  #addContext(read: ReadTrajectory, answers: TrainedAnswer[]): void {
    for (const answer of read.context()) {
      const said = this.#answer(answer, undefined)
      if (said.model === this.#model.record.id) this.#context.push({ answer: said, answers })
    }
  }

  /**
   * Adds answers of the model that were submitted as messages between choices, so that the service does not train them.
   * A conversation that continues one whose choice was submitted has it as a message, too. What several trajectories
   * have is a part of their prompt, such as an example.
   */
  #addUntrained(groups: readonly TrainedGroup[]): void {
    if (this.#context.length === 0) return
    const throughOf = (number: number) => this.#known.samples.get(number)!.through
    const trained = new Set(numbersIn(answersOf({ groups })).map(throughOf))
    const times = countsOf(numbersIn(this.#context.map(({ answer }) => answer)))
    for (const { answer, answers: others } of this.#context) {
      const sample = this.#known.samples.get(answer.sample!)!
      if (times.get(sample.number)! > 1) continue
      if (answer.by !== 'text' || this.#known.isUsed(sample) || trained.has(sample.through))
        continue
      // They count as a part of the trajectory, but no job has used them.
      if (sample.logprobs && !sample.isEdited) others.push(answer)
    }
  }

  /** Finds the samples of a trajectory that is logged, and where the same was trained if they do not tell. */
  logged(trajectory: Trajectory, split: string): LoggedTrajectory {
    const read = readTrajectory(trajectory)
    const samples = numbersIn(read.answers.map((answer) => this.#answer(answer, undefined)))
    const content = samples.length < read.answers.length ? contentOf(read) : undefined
    if (!content) return { samples, trained: undefined }
    const { contents } = this.#known
    contents.add(content, { split })
    return { samples, trained: content.isDistinct ? contents.get(content)?.place : undefined }
  }

  #splitOf(numbers: readonly number[]): string | undefined {
    const splits = numbers.map((number) => this.#known.samples.get(number)?.split)
    return splits.find((split) => split !== undefined)
  }

  /** The step that may have given all answers. Several steps often give the same text to the same messages. */
  #commonStep([first, ...others]: readonly ReadAnswer[]): number | undefined {
    if (!first || others.length === 0) return undefined
    const preferences = { models: this.#models, isTaken: this.#isTaken }
    const { samples } = this.#known
    return samples
      .stepsOf(first, preferences)
      .find((step) => others.every((other) => samples.isOfStep(other, step, preferences)))
  }

  #answer(answer: ReadAnswer, step: number | undefined): TrainedAnswer {
    const unmatched = answerWithoutSample(answer)
    const matched = this.#known.samples.find(answer, {
      models: this.#models,
      isTaken: this.#isTaken,
      step,
    })
    const { noLogprobs, lostLogprobs } = this.#logprobs.of(answer, matched?.sample)
    const { turn, isPlain, cutOff, changed } = unmatched
    if (!matched) {
      const hidesTokens = !answer.isPlain || undefined
      return { turn, isPlain, cutOff, changed, lostLogprobs, noLogprobs, hidesTokens }
    }
    const { sample, by } = matched
    return {
      turn,
      isPlain,
      cutOff: cutOff ?? (isPlain === true && sample.finishReason === 'length' ? true : undefined),
      changed: changeOf(matched, answer) ?? changed ?? driftOf(matched, answer),
      sample: sample.number,
      model: sample.model,
      step: sample.step,
      by,
      insteadOfAdapter: this.#isInsteadOfAdapter(sample) || undefined,
      lostLogprobs,
      noLogprobs,
    }
  }

  /** Whether the base model answered, although a trained adapter could. */
  #isInsteadOfAdapter({ model, at, step }: Sample): boolean {
    if (step !== null) return false
    const { record, checkpoints } = this.#model
    // With `serve_any_model`, a base model answers to the name of the model alone.
    const isBase = model === record.base_model || model.split(':', 1)[0] === record.name
    if (!isBase) return false
    return checkpoints.everMade.some((made) => made.step > 0 && made.createdAt <= at)
  }

  /** Whether other samples are meant more likely. */
  readonly #isTaken = (sample: Sample): boolean => {
    return sample.split !== undefined || this.#known.isUsed(sample)
  }

  /** The trajectory with the same answers, which no chat gave. A loop may train on the same data from elsewhere again. */
  #earlier(
    content: ContentKey | undefined,
    place: TrajectoryPlace | undefined,
  ): TrajectoryPlace | undefined {
    if (!content?.isDistinct || !place) return undefined
    if (this.#known.hasFailed(place.job) || !this.#isOfModel(place)) return undefined
    return place.job === this.#job || content.isCaptured ? place : undefined
  }

  /** Whether the job has the same short answers twice, which may be chance. */
  #isTwin(content: ContentKey | undefined, place: TrajectoryPlace | undefined): boolean {
    return content?.isDistinct === false && place?.job === this.#job
  }

  /** The trajectory that used all of these samples. */
  #useOfAll(numbers: readonly number[]): TrajectoryPlace | undefined {
    const { useOf } = this.#known
    const [first, ...others] = numbers.map((number) => {
      const sample = this.#known.samples.get(number)
      if (!sample || this.#known.isGuessed(number)) return undefined
      return this.#known.isUsed(sample) ? useOf(sample) : undefined
    })
    return first && this.#isOfModel(first) && others.every((other) => other === first)
      ? first
      : undefined
  }

  /** Whether the job of a place trains the same model. Several models may learn from the same rollouts. */
  #isOfModel({ job }: TrajectoryPlace): boolean {
    return this.#known.modelOf(job) === this.#model.record.id
  }

  /** The chat that failed for a trajectory. The same chat of another rollout, which got an answer, did not. */
  #failedFor(read: ReadTrajectory, matched: readonly TrainedAnswer[]): FailedCall | undefined {
    const { chats } = this.#known.failed
    if (chats.size === 0) return undefined
    const failed = read.beginnings().flatMap((hash) => {
      const chat = chats.get(hash)
      return chat ? [{ hash, chat }] : []
    })
    if (failed.length === 0) return undefined
    const said = read.context().map((answer) => ({ answer, ...this.#answer(answer, undefined) }))
    const given = [...read.answers.map((answer, at) => ({ answer, ...matched[at] })), ...said]
    const call = failed.find(({ hash, chat }) => {
      const next = given.filter(({ answer }) => answer.hashes.prompt === hash)
      if (next.some(({ answer, sample }) => sample !== undefined || isFromChat(answer)))
        return false
      // A program may put an answer from elsewhere in the place of one that came when the chat was repeated.
      return !chat.isRepeated || next.every(({ answer }) => answer.text === '')
    })
    return call && { what: call.chat.what, got: call.chat.got }
  }

  #judgeFailedFor(numbers: readonly number[]): FailedCall | undefined {
    const { judged } = this.#known.failed
    const number = judged.size === 0 ? undefined : numbers.find((each) => judged.has(each))
    return number === undefined ? undefined : judged.get(number)
  }
}

/** Whether an answer shows that a chat gave it, although its sample is unknown. */
function isFromChat(answer: ReadAnswer): boolean {
  return answer.text !== '' && !answer.isPlain && answer.hasLogprobs()
}

/** Whether a message is an example in a prompt: no chat gave it, and a chat gave a later one of its conversation. */
function isExample(
  index: number,
  answers: readonly ReadAnswer[],
  matched: readonly TrainedAnswer[],
): boolean {
  const { isPlain, history } = answers[index]!
  if (!isPlain || matched[index]!.sample !== undefined) return false
  return answers.some((answer, at) => {
    return at > index && answer.history === history && matched[at]!.sample !== undefined
  })
}

/** What an answer itself shows, without its sample. */
export function answerWithoutSample(answer: ReadAnswer): TrainedAnswer {
  const { turn, isPlain, finishReason, drift } = answer
  return {
    turn,
    isPlain: isPlain || undefined,
    cutOff: finishReason === 'length' || undefined,
    changed: drift && drift !== 'unknown' ? { why: formatDrift(drift) } : undefined,
  }
}

import { finite } from '../../../base/text/json-text.js'
import type { Trajectory, TrajectoryGroup } from '../../contract/trajectory.js'
import { hasVariance } from '../jobs/batch.js'
import type { ModelState } from '../model.js'
import { shownText } from './conversation-hash.js'
import { formatDrift } from './drift.js'
import type { FailedChats } from './failed-chats.js'
import { readTrajectory, type ReadAnswer, type ReadTrajectory } from './read-trajectory.js'
import { LONGEST_TEXT, type Sample } from './sample.js'
import type { MatchedSample, Samples } from './samples.js'
import {
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
  use: (numbers: readonly number[], place: TrajectoryPlace) => void
}

/** Finds the samples of the trajectories of one job. */
export class TrajectoryMatcher {
  readonly #known: KnownChats
  readonly #model: ModelState
  readonly #job: string
  /** The ids of the models whose answers are meant: that of the job, and its base model. */
  readonly #models: readonly string[]

  constructor(known: KnownChats, model: ModelState, job: string) {
    this.#known = known
    this.#model = model
    this.#job = job
    this.#models = [model.record.id, model.record.base_model]
  }

  group({ trajectories = [] }: TrajectoryGroup, group: number): TrainedGroup {
    const rewards = trajectories.map(({ reward = 0 }) => reward)
    return {
      isEqual: !hasVariance(rewards),
      trajectories: trajectories.map((each, trajectory) =>
        this.#match(each, { job: this.#job, group, trajectory }),
      ),
    }
  }

  #match(trajectory: Trajectory, place: TrajectoryPlace): TrainedTrajectory {
    const read = readTrajectory(trajectory)
    const step = this.#commonStep(read.answers)
    const answers = read.answers.map((answer) => this.#answer(answer, step))
    const numbers = numbersIn(answers)
    const duplicateOf =
      numbers.length > 0 && numbers.length === answers.length ? this.#useOfAll(numbers) : undefined
    this.#known.use(numbers, place)
    const { broken } = read
    return {
      reward: finite(trajectory.reward ?? 0),
      begins: read.begins,
      answers,
      ...(broken.length > 0 && { broken }),
      failed: this.#failedFor(read, numbers),
      duplicateOf,
    }
  }

  /** The step that may have given all answers. Several steps often give the same text to the same messages. */
  #commonStep([first, ...others]: readonly ReadAnswer[]): number | undefined {
    if (!first || others.length === 0) return undefined
    const preferences = { models: this.#models, isUsed: this.#known.isUsed }
    const { samples } = this.#known
    return samples
      .stepsOf(first, preferences)
      .find((step) => others.every((other) => samples.isOfStep(other, step, preferences)))
  }

  #answer(answer: ReadAnswer, step: number | undefined): TrainedAnswer {
    const unmatched = answerWithoutSample(answer)
    const matched = this.#known.samples.find(answer, {
      models: this.#models,
      isUsed: this.#known.isUsed,
      step,
    })
    if (!matched) return unmatched
    const { sample, by } = matched
    const { turn, cutOff, changed } = unmatched
    return {
      turn,
      cutOff,
      changed: changeOf(matched, answer) ?? changed ?? driftOf(matched, answer),
      sample: sample.number,
      model: sample.model,
      step: sample.step,
      by,
      insteadOfAdapter: this.#isInsteadOfAdapter(sample) || undefined,
      lostLogprobs: (sample.logprobs && !sample.isEdited && !answer.hasLogprobs) || undefined,
    }
  }

  /** Whether the base model answered, although a trained adapter could. */
  #isInsteadOfAdapter({ model, at, step }: Sample): boolean {
    const { record, checkpoints } = this.#model
    if (step !== null || model !== record.base_model) return false
    return checkpoints.everMade.some((made) => made.step > 0 && made.createdAt <= at)
  }

  /** The trajectory that used all of these samples. */
  #useOfAll(numbers: readonly number[]): TrajectoryPlace | undefined {
    const { useOf } = this.#known
    const [first, ...others] = numbers.map((number) => {
      const sample = this.#known.samples.get(number)
      return sample && this.#known.isUsed(sample) ? useOf(sample) : undefined
    })
    return others.every((other) => other === first) ? first : undefined
  }

  #failedFor(read: ReadTrajectory, numbers: readonly number[]): FailedCall | undefined {
    const { chats, judged } = this.#known.failed
    if (chats.size > 0) {
      for (const hash of read.beginnings()) if (chats.has(hash)) return chats.get(hash)
    }
    if (judged.size === 0) return undefined
    const number = numbers.find((each) => judged.has(each))
    return number === undefined ? undefined : judged.get(number)
  }
}

/** What an answer itself shows, without its sample. */
export function answerWithoutSample({ turn, finishReason, drift }: ReadAnswer): TrainedAnswer {
  return {
    turn,
    cutOff: finishReason === 'length' || undefined,
    changed: drift && drift !== 'unknown' ? formatDrift(drift) : undefined,
  }
}

/** Says what differs between an answer and its sample. Undefined if nothing does, or if a fault changed it first. */
function changeOf({ sample, by }: MatchedSample, answer: ReadAnswer): string | undefined {
  if (sample.isEdited) return undefined
  if (answer.words !== sample.words) return formatChange(sample.text, answer.text)
  if (answer.ids !== 0 && answer.ids !== sample.ids) {
    return 'it has the text that was sampled, but other token ids'
  }
  const isSure = by === 'id' || by === 'tokens'
  if (isSure && answer.hashes.prompt !== sample.prompt) {
    return 'the messages before it are not those that it was sampled with'
  }
  return undefined
}

/** Says where the prompt did not continue the turn before when its answer was sampled, if the ids do not show it. */
function driftOf({ sample }: MatchedSample, { drift }: ReadAnswer): string | undefined {
  return drift === 'unknown' && sample.drift ? formatDrift(sample.drift) : undefined
}

const SHOWN = 40

/** Quotes the place where a text differs from what was sampled. */
function formatChange(before: string, now: string): string {
  const [was, is] = [shownText(before), shownText(now)]
  let at = 0
  while (at < Math.min(was.length, is.length) && was[at] === is[at]) at++
  if (at >= LONGEST_TEXT) return OTHER_TEXT
  const start = Math.max(0, at - SHOWN / 4)
  const part = (text: string): string => {
    const end = start + SHOWN
    const cut = text.slice(start, end)
    return JSON.stringify(`${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`)
  }
  return `${part(was)} was sampled, and ${part(is)} was submitted`
}

const QUOTED = /"(?:[^"\\]|\\.)*" was sampled, and "(?:[^"\\]|\\.)*" was submitted/g

/** Removes the answers that texts about changed answers quote, for reports without contents. */
export function withoutQuotedAnswers(text: string): string {
  return text.replaceAll(QUOTED, OTHER_TEXT)
}

const OTHER_TEXT = 'its text is not the one that was sampled'

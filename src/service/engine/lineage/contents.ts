import { forgetOldest } from '../../../base/text/forget-oldest.js'
import type { Trajectory } from '../../contract/trajectory.js'
import { hashOfText } from './running-hash.js'
import type { ReadTrajectory } from './read-trajectory.js'
import type { TrainedTrajectory, TrajectoryPlace } from './trained-job.js'

/** Two rollouts do not sample as many equal characters by chance. */
const LONG_ANSWERS = 200
/** Nor so many with the same log probabilities: those of two rollouts differ in their last digits. */
const LONG_SCORED_ANSWERS = 40

/** The most trajectories that are remembered. */
const MOST_CONTENTS = 20_000

/** What is in a trajectory. */
export interface ContentKey {
  readonly key: string | number
  /** Whether no two rollouts have the same. Nothing tells short answers with the same text apart. */
  readonly isDistinct: boolean
  /** Whether the ids of the responses that it was captured from identify it. */
  readonly isCaptured: boolean
}

/** Identifies a trajectory by its answers. Undefined if it has none. */
export function contentOf({ answers }: ReadTrajectory): ContentKey | undefined {
  const last = answers.at(-1)
  if (!last) return undefined
  const isCaptured = answers.every(({ completion }) => completion !== undefined)
  return {
    key: isCaptured
      ? answers.map(({ completion, choice }) => `${completion} ${choice}`).join()
      : last.hashes.through,
    isDistinct: isCaptured || lengthOf(answers) >= LONG_ANSWERS,
    isCaptured,
  }
}

function lengthOf(answers: ReadTrajectory['answers']): number {
  return answers.reduce((sum, { text }) => sum + text.length, 0)
}

/** The hash of all of a trajectory but what is said about it afterwards. */
export function hashOfRollout(trajectory: Trajectory): number {
  const said = { reward: undefined, metrics: undefined, logs: undefined }
  return hashOfText(JSON.stringify({ ...trajectory, ...said }))
}

/**
 * Whether a trajectory that has the same as another one, log probabilities included, was sampled only once. Short
 * answers may be equal by chance. Two rewards for the same within a group are a contradiction, whatever its length.
 */
export function isCopy({ answers }: ReadTrajectory, isContradicted: boolean): boolean {
  if (!isContradicted && lengthOf(answers) < LONG_SCORED_ANSWERS) return false
  return answers.some((each) => !each.isPlain && each.text !== '' && each.hasLogprobs())
}

/** What is known about a content. */
interface Content {
  /** Where it was trained. */
  readonly place?: TrajectoryPlace | undefined
  /** What was trained there. */
  readonly trained?: TrainedTrajectory | undefined
  /** The split that it was logged with. */
  readonly split?: string | undefined
}

/**
 * The trajectories without samples: data from elsewhere. It is not saved: what a restored world compares begins with its
 * own.
 */
export class Contents {
  readonly #known = new Map<ContentKey['key'], Content>()

  get(content: ContentKey | undefined): Content | undefined {
    return content && this.#known.get(content.key)
  }

  train({ key }: ContentKey, trained: Required<Content>): void {
    this.#known.set(key, trained)
    forgetOldest(this.#known, MOST_CONTENTS)
  }

  log(content: ContentKey, split: string): void {
    const { place, trained } = this.get(content) ?? {}
    if (trained && content.isDistinct) trained.split = split
    this.train(content, { place, trained, split })
  }
}

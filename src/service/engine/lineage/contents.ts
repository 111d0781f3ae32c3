import { forgetOldest } from './forget-oldest.js'
import type { ReadTrajectory } from './read-trajectory.js'
import type { TrainedTrajectory, TrajectoryPlace } from './trained-job.js'

/** Two rollouts do not sample as many equal characters by chance. */
const LONG_ANSWERS = 200

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
  const length = answers.reduce((sum, { text }) => sum + text.length, 0)
  return {
    key: isCaptured
      ? answers.map(({ completion, choice }) => `${completion} ${choice}`).join()
      : last.hashes.through,
    isDistinct: isCaptured || length >= LONG_ANSWERS,
    isCaptured,
  }
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

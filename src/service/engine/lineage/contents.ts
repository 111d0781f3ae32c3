import { forgetOldest } from './forget-oldest.js'
import type { ReadTrajectory } from './read-trajectory.js'
import type { TrainedTrajectory, TrajectoryPlace } from './trained-job.js'

/** Two rollouts do not sample as many equal characters by chance. */
const LONG_ANSWERS = 200

/** The most trajectories that are remembered. */
const MOST_CONTENTS = 20_000

/** What is in a trajectory. */
export interface ContentKey {
  readonly key: string
  /** Whether no two rollouts have the same. Nothing tells short answers with the same text apart. */
  readonly isDistinct: boolean
  /** Whether the ids of the responses that it was captured from identify it. */
  readonly isCaptured: boolean
}

/** Identifies a trajectory by its answers. Undefined if it has none. */
export function contentOf({ answers }: ReadTrajectory): ContentKey | undefined {
  const last = answers.at(-1)
  if (!last) return undefined
  const ids = answers.flatMap(({ completion, choice }) => {
    return completion === undefined ? [] : `${completion} ${choice}`
  })
  const isCaptured = ids.length === answers.length
  const length = answers.reduce((sum, { text }) => sum + text.length, 0)
  return {
    key: isCaptured ? ids.join() : String(last.hashes.through),
    isDistinct: isCaptured || length >= LONG_ANSWERS,
    isCaptured,
  }
}

interface Content {
  place?: TrajectoryPlace
  /** What was trained there. */
  trained?: TrainedTrajectory
  split?: string
}

/**
 * The trajectories without samples: data from elsewhere. It is not saved: what a restored world compares begins with its
 * own.
 */
export class Contents {
  readonly #known = new Map<string, Content>()

  /** Where the same content was trained before. */
  placeOf(content: ContentKey | undefined): TrajectoryPlace | undefined {
    return this.#get(content)?.place
  }

  /** The split that the same content was logged with. */
  splitOf(content: ContentKey | undefined): string | undefined {
    return content?.isDistinct ? this.#get(content)?.split : undefined
  }

  train(content: ContentKey | undefined, trained: Required<Omit<Content, 'split'>>): void {
    this.#add(content, trained)
  }

  log(content: ContentKey | undefined, split: string): void {
    const trained = content?.isDistinct && this.#get(content)?.trained
    if (trained) trained.split = split
    this.#add(content, { split })
  }

  #get(content: ContentKey | undefined): Content | undefined {
    return content && this.#known.get(content.key)
  }

  #add(content: ContentKey | undefined, more: Content): void {
    if (!content) return
    this.#known.set(content.key, { ...this.#known.get(content.key), ...more })
    forgetOldest(this.#known, MOST_CONTENTS)
  }
}

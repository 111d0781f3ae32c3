import { finite } from '../../../base/text/json-text.js'
import type { Trajectory, TrajectoryGroup } from '../../../service/contract/trajectory.js'
import { hasVariance } from '../../../service/engine/jobs/batch.js'
import { hashOfText } from '../../../service/engine/lineage/conversation-hash.js'
import { answerWithoutSample } from '../../../service/engine/lineage/match-trajectories.js'
import {
  readTrajectory,
  type ReadTrajectory,
} from '../../../service/engine/lineage/read-trajectory.js'
import type {
  TrainedJob,
  TrainedTrajectory,
  TrajectoryPlace,
} from '../../../service/engine/lineage/trained-job.js'

/** Where trajectories are in a file. */
interface Origin {
  /** The line of all trajectories, or of each. */
  readonly lines: readonly number[]
  /** Whether they are SFT rows, which have no answers that were sampled. */
  readonly areExamples: boolean
}

/** Reads trajectories for the checks without the samples of an emulator. */
export class FileTrajectories {
  /** Where each trajectory was first, by the hash of what makes it itself. */
  readonly #first = new Map<number, TrajectoryPlace>()

  /** Reads groups as a job. A place names its line as its job. */
  read(groups: readonly TrajectoryGroup[], { lines, areExamples }: Origin): TrainedJob {
    return {
      job: String(lines[0]),
      model: '',
      at: 0,
      latest: 0,
      afterChats: false,
      request: undefined,
      groups: groups.map(({ trajectories = [] }, group) => ({
        isEqual: !hasVariance(trajectories.map(({ reward = 0 }) => reward)),
        trajectories: trajectories.map((each, trajectory) => {
          const line = lines[lines.length > 1 ? trajectory : 0]
          const place = { job: String(line), group, trajectory }
          return this.#trajectory(each, place, areExamples)
        }),
      })),
    }
  }

  #trajectory(
    trajectory: Trajectory,
    place: TrajectoryPlace,
    isExample: boolean,
  ): TrainedTrajectory {
    const read = readTrajectory(trajectory)
    const { begins, answers, broken } = read
    const hasLogprobs = answers.some((answer) => answer.hasLogprobs)
    return {
      reward: finite(trajectory.reward ?? 0),
      begins,
      answers: answers.map((answer) => ({
        ...answerWithoutSample(answer),
        // One loop asks for log probabilities in all chats of a rollout, or in none.
        lostLogprobs: (hasLogprobs && !answer.hasLogprobs) || undefined,
      })),
      broken,
      duplicateOf:
        isExample || isUnmistakable(trajectory, read)
          ? this.#earlier(trajectory, place)
          : undefined,
    }
  }

  /** Returns the place where a trajectory was before. */
  #earlier(trajectory: Trajectory, place: TrajectoryPlace): TrajectoryPlace | undefined {
    const hash = hashOfText(JSON.stringify(trajectory))
    const earlier = this.#first.get(hash)
    if (!earlier) this.#first.set(hash, place)
    return earlier
  }
}

/** Two rollouts do not sample as many equal characters by chance. */
const LONG_ANSWERS = 200

/**
 * Whether equal content means that it is the same trajectory. Two rollouts of one prompt may give the same short
 * answer, and nothing else tells them apart.
 */
function isUnmistakable(trajectory: Trajectory, { answers }: ReadTrajectory): boolean {
  if (trajectory.start_time !== undefined) return true
  if (answers.some(({ completion }) => completion !== undefined)) return true
  return answers.reduce((sum, { text }) => sum + text.length, 0) >= LONG_ANSWERS
}

import { finite } from '../../../base/text/json-text.js'
import type { Trajectory, TrajectoryGroup } from '../../../service/contract/trajectory.js'
import { hasVariance } from '../../../service/engine/jobs/batch.js'
import { contentOf } from '../../../service/engine/lineage/contents.js'
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
  /** Whether answers without log probabilities contribute nothing. Undefined if the rows do not say. */
  readonly needsLogprobs: boolean | undefined
}

/** Reads trajectories for the checks without the samples of an emulator. */
export class FileTrajectories {
  /** Where each trajectory was first, by the hash of what makes it itself. */
  readonly #first = new Map<number, TrajectoryPlace>()

  /** Reads groups as a job. A place names its line as its job. */
  read(groups: readonly TrajectoryGroup[], origin: Origin): TrainedJob {
    const { lines, needsLogprobs } = origin
    return {
      job: String(lines[0]),
      model: '',
      at: 0,
      latest: 0,
      afterChats: false,
      needsLogprobs,
      request: undefined,
      groups: groups.map(({ trajectories = [] }, group) => ({
        isEqual: !hasVariance(trajectories.map(({ reward = 0 }) => reward)),
        trajectories: trajectories.map((each, trajectory) => {
          const line = lines[lines.length > 1 ? trajectory : 0]
          const place = { job: String(line), group, trajectory }
          return this.#trajectory(each, place, origin)
        }),
      })),
    }
  }

  #trajectory(
    trajectory: Trajectory,
    place: TrajectoryPlace,
    { areExamples, needsLogprobs }: Origin,
  ): TrainedTrajectory {
    const read = readTrajectory(trajectory)
    const { begins, answers, broken } = read
    const hasLogprobs = answers.some((answer) => answer.text !== '' && answer.hasLogprobs())
    const earlier = this.#earlier(trajectory, place)
    const isDistinct =
      areExamples || contentOf(read)?.isDistinct === true || isStamped(trajectory, read)
    return {
      reward: finite(trajectory.reward ?? 0),
      begins,
      answers: answers.map((answer) => {
        const noLogprobs = (needsLogprobs !== false && !answer.hasLogprobs()) || undefined
        // One loop asks for log probabilities in all chats of a rollout, or in none.
        const isLost = needsLogprobs === true || (hasLogprobs && !answer.isPlain)
        return {
          ...answerWithoutSample(answer),
          hidesTokens: answer.drift === 'unknown' || undefined,
          noLogprobs,
          lostLogprobs: isLost ? noLogprobs : undefined,
        }
      }),
      broken,
      duplicateOf: isDistinct ? earlier : undefined,
      isAmbiguous: (!isDistinct && earlier !== undefined && answers.length > 0) || undefined,
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

/** Whether a time or the id of a response tells a trajectory from one with the same short answers. */
function isStamped({ start_time: at }: Trajectory, { answers }: ReadTrajectory): boolean {
  return at !== undefined || answers.some(({ completion }) => completion !== undefined)
}

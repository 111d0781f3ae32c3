import { finite } from '../../../base/text/non-finite.js'
import type { Trajectory } from '../../../service/contract/trajectory.js'
import { hasVariance } from '../../../service/engine/jobs/batch.js'
import { changeOfText, type AnswerChange } from '../../../service/engine/lineage/answer-change.js'
import { contentOf } from '../../../service/engine/lineage/content-key.js'
import { answerWithoutSample } from '../../../service/engine/lineage/match-trajectories.js'
import { promptsOf } from '../../../service/engine/lineage/prompts.js'
import {
  readTrajectory,
  type ReadTrajectory,
} from '../../../service/engine/lineage/read-trajectory.js'
import type {
  TrainedJob,
  TrainedTrajectory,
  TrajectoryPlace,
} from '../../../service/engine/lineage/trained-job.js'
import type { Evidence } from '../evidence.js'
import { hashOfRollout, isCopy } from './copied-rollouts.js'
import type { FilePlace } from './file-report.js'
import { shapeFacts, type Row, type RowShape } from './row.js'

/** What a job was read from. */
interface Source {
  readonly shape: RowShape
  /** The line of all trajectories, or of each. */
  readonly lines: readonly number[]
}

/** A rollout in a file. */
interface Rollout {
  readonly place: TrajectoryPlace
  readonly reward: number | null
  /** The number of its group. */
  readonly group: number
}

/** What is known of a rollout from those before it. */
interface KnownRollout {
  readonly own: Rollout
  /** The first one with the same content. */
  readonly earlier: Rollout | undefined
  /** Whether its whole group was there before. */
  readonly isRepeated: boolean
}

/** Reads trajectories for the checks without the samples of an emulator. */
export class FileTrajectories {
  /** Whether a choice has log probabilities. One without them then lacks them. */
  areScored = false
  /** Where each rollout was first, by its hash. */
  readonly #first = new Map<number, Rollout>()
  /** What each job was read from, by its id. */
  readonly #sources = new Map<string, Source>()
  #groups = 0

  /** Reads a row as a job. `lines` has the line of all its trajectories, or of each. */
  read(row: Row, lines: readonly number[]): TrainedJob {
    const { shape, groups, needsLogprobs } = row
    const job = String(this.#sources.size)
    this.#sources.set(job, { shape, lines })
    return {
      job,
      model: '',
      at: 0,
      latest: 0,
      afterChats: false,
      needsLogprobs,
      request: undefined,
      groups: groups.map(({ trajectories = [] }, group) => {
        this.#groups++
        const reads = trajectories.map(readTrajectory)
        const rollouts = trajectories.map(({ reward = 0 }, trajectory): Rollout => {
          const place = { job, group, trajectory }
          return { place, reward: finite(reward), group: this.#groups }
        })
        const earlier = trajectories.map((each, at) => this.#earlier(each, rollouts[at]!))
        const isRepeated = isSameGroup(rollouts, earlier) && isLong(reads)
        const all = trajectories.map((each, at) => {
          const known = { own: rollouts[at]!, earlier: earlier[at], isRepeated }
          return this.#trajectory(each, reads[at]!, { ...known, row })
        })
        const prompts = promptsOf(
          all.map(({ begins }, at) => {
            const read = reads[at]!
            return { begins, first: read.placeOf(read.answers[0]) }
          }),
        )
        const isEqual = !hasVariance(trajectories.map(({ reward = 0 }) => reward))
        const judged = all.map((each, at) => ({ ...each, begins: prompts[at]! }))
        return { isEqual, trajectories: judged }
      }),
    }
  }

  /** Returns where a place in a job is in the file. */
  placeOf({ job, ...at }: Evidence['place']): FilePlace {
    const { shape, lines } = this.#sources.get(job)!
    const line = lines[lines.length > 1 ? (at.trajectory ?? 0) : 0]!
    const indices = shapeFacts[shape].indices.map((name) => [name, at[name]])
    return { line, ...Object.fromEntries(indices) }
  }

  #trajectory(
    trajectory: Trajectory,
    read: ReadTrajectory,
    { own, earlier, isRepeated, row }: KnownRollout & { row: Row },
  ): TrainedTrajectory {
    const { answers, broken } = read
    // If a row says of each message that it is not trained, nothing in it is.
    const { messages_and_choices: items = [] } = trajectory
    const isContext = items.every((each) => Object(each).trainable === false)
    const needsLogprobs = (items.length > 0 && isContext) || row.needsLogprobs
    const { reward } = own
    const isContradicted = earlier?.group === own.group && earlier.reward !== reward
    const isDistinct =
      shapeFacts[row.shape].isExample ||
      isRepeated ||
      contentOf(read)?.isDistinct === true ||
      isStamped(trajectory, read) ||
      (earlier !== undefined && isCopy(read, isContradicted))
    this.areScored ||= answers.some((each) => {
      return !each.isPlain && each.text !== '' && each.hasLogprobs()
    })
    return {
      reward,
      begins: answers[0]?.hashes.prompt ?? 0,
      answers: answers.map((answer) => {
        const noLogprobs = (needsLogprobs !== false && !answer.hasLogprobs()) || undefined
        return {
          ...answerWithoutSample(answer),
          ...(answer.history === 1 && changeOf(items[answer.turn])),
          hidesTokens: answer.drift === 'unknown' || undefined,
          noLogprobs,
          lostLogprobs: needsLogprobs ? noLogprobs : undefined,
        }
      }),
      broken,
      duplicateOf: isDistinct ? earlier?.place : undefined,
      isAmbiguous: (!isDistinct && earlier !== undefined && answers.length > 0) || undefined,
    }
  }

  /** Returns the same rollout, if it was there before. */
  #earlier(trajectory: Trajectory, own: Rollout): Rollout | undefined {
    const hash = hashOfRollout(trajectory)
    const earlier = this.#first.get(hash)
    if (!earlier) this.#first.set(hash, own)
    return earlier
  }
}

/** Whether a group is an earlier one: the same rollouts in the same order, with the same rewards. */
function isSameGroup(
  rollouts: readonly Rollout[],
  earlier: readonly (Rollout | undefined)[],
): boolean {
  const [first] = earlier
  return rollouts.every(({ place, reward }, at) => {
    const before = earlier[at]
    if (!before || before.group !== first?.group) return false
    return before.place.trajectory === place.trajectory && before.reward === reward
  })
}

/** Whether two groups do not sample the same answers by chance: they differ, and are no labels. */
function isLong(reads: readonly ReadTrajectory[]): boolean {
  const texts = new Set(reads.flatMap(({ answers }) => answers.map(({ text }) => text)))
  return texts.size > 1 && [...texts].join('').length >= LONG_GROUP
}

const LONG_GROUP = 60

/** Whether a time or the id of a response tells a trajectory from one with the same short answers. */
function isStamped({ start_time: at }: Trajectory, { answers }: ReadTrajectory): boolean {
  return at !== undefined || answers.some(({ completion }) => completion !== undefined)
}

/** Finds an answer that has another text than the tokens of its log probabilities. Undefined if that is not known. */
function changeOf(item: unknown): { changed: AnswerChange } | undefined {
  const { message, logprobs } = Object(item) as Record<string, unknown>
  const { content: text, tool_calls: calls } = Object(message) as Record<string, unknown>
  const { content: tokens } = Object(logprobs) as Record<string, unknown>
  if (typeof text !== 'string' || calls || !Array.isArray(tokens)) return undefined
  // Special tokens have none.
  const bytes = tokens.flatMap((each) => (Object(each) as { bytes?: number[] | null }).bytes ?? [])
  if (bytes.length === 0 || !bytes.every(Number.isInteger)) return undefined
  const sampled = new TextDecoder().decode(Uint8Array.from(bytes))
  return sampled.includes(text) ? undefined : { changed: changeOfText(sampled, text) }
}

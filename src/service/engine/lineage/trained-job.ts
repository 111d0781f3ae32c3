import type { MatchedBy } from './samples.js'

/** What a job was trained on: the trajectories of its request, and the sample of each of their answers. */
export interface TrainedJob {
  /** The id of the job. */
  readonly job: string
  /** The id of its model. */
  readonly model: string
  /** When it was submitted, in milliseconds since the epoch. */
  readonly at: number
  /** The step of the newest checkpoint of the model at that moment. */
  readonly latest: number
  /** Whether the model, or its base model, had answered a chat before. */
  readonly afterChats: boolean
  /** Whether an answer without log probabilities contributes nothing. Undefined if the client did not say. */
  readonly needsLogprobs?: boolean | undefined
  readonly groups: readonly TrainedGroup[]
  /** The id of the journal entry of the request. Undefined if the job was restored. */
  readonly request: number | undefined
}

export interface TrainedGroup {
  /** Whether its rewards are equal. Nothing can be learned from it. */
  readonly isEqual: boolean
  readonly trajectories: readonly TrainedTrajectory[]
}

export interface TrainedTrajectory {
  readonly reward: number | null
  /** The hash of its prompt: the messages before its first answer. 0 if it has none. */
  begins: number
  readonly answers: readonly TrainedAnswer[]
  readonly broken?: readonly { readonly turn: number; readonly why: string }[] | undefined
  /** The chat that failed where the trajectory ends, or the call of a judge that failed for it. */
  readonly failed?: FailedCall | undefined
  /** The trajectory that has the same samples. */
  readonly duplicateOf?: TrajectoryPlace | undefined
  /** Whether nothing tells its answers from equal ones of other rollouts. */
  readonly isAmbiguous?: true | undefined
  /** The split that it was logged with, if it is not that of training. */
  split?: string | undefined
}

export interface FailedCall {
  readonly what: 'chat' | 'judge'
  /** What the client got: `503`, or `no answer`. */
  readonly got: string
  /** Whether the same chat got an answer later. */
  isRepeated?: true | undefined
}

export interface TrajectoryPlace {
  readonly job: string
  readonly group: number
  readonly trajectory: number
}

/** An answer in a trajectory. Without a sample, this emulator did not give it, or has forgotten it. */
export interface TrainedAnswer {
  /** Its index in the messages of the trajectory, or of its call in `exchanges`. */
  readonly turn: number
  /** Whether it is a message, and not a choice or a captured answer. */
  readonly isPlain?: true | undefined
  /** The number of the sample. */
  readonly sample?: number | undefined
  /** The id of the model or base model that answered. */
  readonly model?: string | undefined
  /** The step of the checkpoint that answered. Null if a base model did. */
  readonly step?: number | null | undefined
  readonly by?: MatchedBy | undefined
  /** Whether the base model of the model answered, although the model had a checkpoint from training. */
  readonly insteadOfAdapter?: true | undefined
  /** What differs from the sample, as words. */
  readonly changed?: string | undefined
  readonly cutOff?: true | undefined
  /** Whether its log probabilities are missing, so that it is not trained, or were sampled and are gone, or others have them. */
  lostLogprobs?: true | undefined
  /** Whether it has no log probabilities. It is unknown for a job that trains answers without them. */
  readonly noLogprobs?: true | undefined
  /** Whether nothing tells what it was: it has no sample, and no token ids that continue the turn before. */
  readonly hidesTokens?: true | undefined
}

/** A trajectory of a job, and where it is. */
interface PlacedTrajectory {
  readonly place: TrajectoryPlace
  readonly trajectory: TrainedTrajectory
}

/** All trajectories of a job with their places. */
export function trajectoriesOf({ job, groups }: TrainedJob): PlacedTrajectory[] {
  return groups.flatMap(({ trajectories }, group) =>
    trajectories.map((trajectory, index) => ({
      place: { job, group, trajectory: index },
      trajectory,
    })),
  )
}

/** All answers in a job. */
export function answersOf({ groups }: Pick<TrainedJob, 'groups'>): TrainedAnswer[] {
  return groups.flatMap(({ trajectories }) => trajectories.flatMap(({ answers }) => answers))
}

/** How many steps the checkpoint of an answer was behind the newest one. Undefined for answers of other models. */
export function stepsBehind(
  { model, step }: TrainedAnswer,
  job: Pick<TrainedJob, 'model' | 'latest'>,
): number | undefined {
  return model === job.model && typeof step === 'number' ? job.latest - step : undefined
}

/** The numbers of the samples of answers. */
export function numbersIn(answers: readonly TrainedAnswer[]): number[] {
  const numbers: number[] = []
  for (const { sample } of answers) if (sample !== undefined) numbers.push(sample)
  return numbers
}

/** The number of the trajectories of a job. */
export function sizeOf({ groups }: TrainedJob): number {
  return groups.reduce((sum, { trajectories }) => sum + trajectories.length, 0)
}

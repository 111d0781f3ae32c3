import { declared, type TypeFrom } from '../saved/declared.js'
import { changeSchema } from './answer-change.js'

export const trainedJobSchema = declared((fields) => {
  const { strictObject, string, boolean, array, count, moment } = fields
  return strictObject({
    /** The id of its model. */
    model: string(),
    /** When it was submitted, in milliseconds since the epoch. */
    at: moment,
    /** The step of the newest checkpoint of the model at that moment. */
    latest: count,
    /** Whether the model, or its base model, had answered a chat before. */
    afterChats: boolean(),
    /** Whether an answer without log probabilities contributes nothing. Undefined if the client did not say. */
    needsLogprobs: boolean().optional(),
    groups: array(groupSchema(fields)),
  })
})

const groupSchema = declared((fields) => {
  const { strictObject, boolean, array } = fields
  return strictObject({
    /** Whether its rewards are equal. Nothing can be learned from it. */
    isEqual: boolean(),
    trajectories: array(trajectorySchema(fields)),
  })
})

const trajectorySchema = declared((fields) => {
  const { strictObject, string, array, literal, count, int, figure } = fields
  return strictObject({
    reward: figure,
    /** The hash of its prompt: the messages before its first answer. 0 if it has none. */
    begins: int(),
    answers: array(answerSchema(fields)),
    broken: array(strictObject({ turn: count, why: string() })).optional(),
    /** The chat that failed where the trajectory ends, or the call of a judge that failed for it. */
    failed: failedCallSchema(fields).optional(),
    /** The trajectory that has the same samples. */
    duplicateOf: placeSchema(fields).optional(),
    /** Whether nothing tells its answers from equal ones of other rollouts. */
    isAmbiguous: literal(true).optional(),
    /** The split that it was logged with, if it is not that of training. */
    split: string().optional(),
  })
})

export const failedCallSchema = declared(({ strictObject, literal, string, choice }) =>
  strictObject({
    what: choice(['chat', 'judge']),
    /** What the client got: `503`, or `no answer`. */
    got: string(),
    /** Whether the same chat got an answer later. */
    isRepeated: literal(true).optional(),
  }),
)

const placeSchema = declared(({ strictObject, string, count }) =>
  strictObject({ job: string(), group: count, trajectory: count }),
)

const answerSchema = declared((fields) => {
  const { strictObject, string, literal, count, int, choice } = fields
  return strictObject({
    /** Its index in the messages of the trajectory, or of its call in `exchanges`. */
    turn: count,
    /** Whether it is a message, and not a choice or a captured answer. */
    isPlain: literal(true).optional(),
    /** The number of the sample. */
    sample: int().positive().optional(),
    /** The id of the model or base model that answered. */
    model: string().optional(),
    /** The step of the checkpoint that answered. Null if a base model did. */
    step: count.nullable().optional(),
    by: choice(['id', 'tokens', 'text', 'prompt']).optional(),
    /** Whether the base model of the model answered, although the model had a checkpoint from training. */
    insteadOfAdapter: literal(true).optional(),
    changed: changeSchema(fields).optional(),
    cutOff: literal(true).optional(),
    /** Whether its log probabilities are missing, so that it is not trained, or were sampled and are gone, or others have them. */
    lostLogprobs: literal(true).optional(),
    /** Whether it has no log probabilities. It is unknown for a job that trains answers without them. */
    noLogprobs: literal(true).optional(),
    /** Whether nothing tells what it was: it has no sample, and no token ids that continue the turn before. */
    hidesTokens: literal(true).optional(),
  })
})

export type SavedTrainedJob = TypeFrom<typeof trainedJobSchema>

/** What a job was trained on: the trajectories of its request, and the sample of each of their answers. */
export interface TrainedJob extends SavedTrainedJob {
  /** The id of the job. */
  readonly job: string
  /** The id of the journal entry of the request. Undefined if the job was restored. */
  readonly request: number | undefined
}

export type TrainedGroup = TypeFrom<typeof groupSchema>

export type TrainedTrajectory = TypeFrom<typeof trajectorySchema>

export type FailedCall = TypeFrom<typeof failedCallSchema>

export type TrajectoryPlace = TypeFrom<typeof placeSchema>

/** An answer in a trajectory. Without a sample, this emulator did not give it, or has forgotten it. */
export type TrainedAnswer = TypeFrom<typeof answerSchema>

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
export function answersOf({ groups }: { groups: readonly TrainedGroup[] }): TrainedAnswer[] {
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

import type { ContentFrom, FieldsOf, RecordFields } from '../saved/record-fields.js'
import {
  ONLY,
  SECRET,
  type KeyedRecord,
  type OnlyRecord,
  type SavedPart,
} from '../saved/saved-part.js'
import { whole, type Whole } from '../saved/complete.js'
import type { TokenDrift } from './drift.js'
import type { FailedChats } from './failed-chats.js'
import type { Sample } from './sample.js'
import type { Samples } from './samples.js'
import type {
  FailedCall,
  TrainedAnswer,
  TrainedGroup,
  TrainedJob,
  TrainedTrajectory,
  TrajectoryPlace,
} from './trained-job.js'

export interface LineageWorld {
  readonly engine: {
    readonly lineage: {
      readonly samples: Samples
      readonly failed: FailedChats
      readonly jobs: Iterable<TrainedJob>
      restoreJob: (job: TrainedJob) => void
    }
  }
}

/** A request has an id only in the journal, which is not saved. */
type SavedSample = Omit<Sample, 'number' | 'request'>

/** Null if it was forgotten. */
type SampleRecord = KeyedRecord<'sample', { sample: SavedSample | null }>

/** The answers that were sampled. */
export const savedSamples: SavedPart<SampleRecord, Sample | undefined, LineageWorld> = {
  kind: 'sample',
  key: ({ string }) => string().regex(/^[1-9]\d{0,14}$/),
  fields({ strictObject, literal, string, boolean, int, count, moment }) {
    const drift = strictObject({
      at: count,
      before: int(),
      now: int().optional(),
    } satisfies FieldsOf<TokenDrift>)
    const sample = strictObject({
      completion: string(),
      choice: count,
      at: moment,
      model: string(),
      step: count.nullable(),
      text: string(),
      prompt: int(),
      through: int(),
      words: int(),
      ids: int(),
      tokens: count,
      finishReason: string(),
      logprobs: boolean(),
      drift: drift.optional(),
      isEdited: literal(true).optional(),
      split: string().optional(),
    } satisfies FieldsOf<SavedSample>)
    return { sample: sample.nullable() }
  },
  *all({ engine }) {
    for (const sample of engine.lineage.samples.all) yield [String(sample.number), sample]
  },
  content(sample) {
    if (!sample) return { sample: null }
    const { number: _number, request: _request, ...saved } = sample
    return { sample: whole(saved) }
  },
  restore(records, { engine }) {
    for (const { key, sample } of records) {
      engine.lineage.samples.add({ number: Number(key), ...sample!, request: undefined })
    }
  },
  isGone: ({ sample }) => sample === null,
  mayBeSecret: SECRET.mayBeSecret,
}

type SavedTrainedJob = Omit<TrainedJob, 'job' | 'request'>

/** Null if it was forgotten. */
type TrainedJobRecord = KeyedRecord<'trained', { trained: SavedTrainedJob | null }>

/** What jobs were trained on. */
export const savedTrainedJobs: SavedPart<TrainedJobRecord, TrainedJob | undefined, LineageWorld> = {
  kind: 'trained',
  key: ({ string }) => string().min(1),
  fields(fields) {
    const { strictObject, string, boolean, array, count, moment } = fields
    const trained = strictObject({
      model: string(),
      at: moment,
      latest: count,
      afterChats: boolean(),
      needsLogprobs: boolean().optional(),
      groups: array(groupSchema(fields)),
    } satisfies FieldsOf<SavedTrainedJob>)
    return { trained: trained.nullable() }
  },
  *all({ engine }) {
    for (const trained of engine.lineage.jobs) yield [trained.job, trained]
  },
  content(trained) {
    if (!trained) return { trained: null }
    const { job: _job, request: _request, ...saved } = trained
    return { trained: whole(saved) }
  },
  restore(records, { engine }) {
    for (const { key, trained } of records) {
      engine.lineage.restoreJob({ job: key, ...trained!, request: undefined })
    }
  },
  isGone: ({ trained }) => trained === null,
  mayBeSecret: SECRET.mayBeSecret,
}

function groupSchema(fields: RecordFields) {
  const { strictObject, string, boolean, array, literal, count, int, choice, figure } = fields
  const answer = strictObject({
    turn: count,
    isPlain: literal(true).optional(),
    sample: int().positive().optional(),
    model: string().optional(),
    step: count.nullable().optional(),
    by: choice(['id', 'tokens', 'text', 'prompt']).optional(),
    insteadOfAdapter: literal(true).optional(),
    changed: string().optional(),
    cutOff: literal(true).optional(),
    lostLogprobs: literal(true).optional(),
    noLogprobs: literal(true).optional(),
    hidesTokens: literal(true).optional(),
  } satisfies FieldsOf<TrainedAnswer>)
  const place = { job: string(), group: count, trajectory: count }
  const trajectory = strictObject({
    reward: figure,
    begins: int(),
    answers: array(answer),
    broken: array(strictObject({ turn: count, why: string() })).optional(),
    failed: failedSchema(fields).optional(),
    duplicateOf: strictObject(place satisfies FieldsOf<TrajectoryPlace>).optional(),
    isAmbiguous: literal(true).optional(),
    split: string().optional(),
  } satisfies FieldsOf<TrainedTrajectory>)
  return strictObject({
    isEqual: boolean(),
    trajectories: array(trajectory),
  } satisfies FieldsOf<TrainedGroup>)
}

function failedSchema({ strictObject, literal, string, choice }: RecordFields) {
  return strictObject({
    what: choice(['chat', 'judge']),
    got: string(),
    isRepeated: literal(true).optional(),
  } satisfies FieldsOf<FailedCall>)
}

function failedChatsFields(fields: RecordFields) {
  const calls = fields.array(fields.tuple([fields.int(), failedSchema(fields)]))
  return { chats: calls, judged: calls }
}

type FailedChatsRecord = OnlyRecord<'failed_chats', ContentFrom<typeof failedChatsFields>>

/** The chats that failed and were not repeated. */
export const savedFailedChats: SavedPart<FailedChatsRecord, undefined, LineageWorld> = {
  kind: 'failed_chats',
  isOne: true,
  fields: failedChatsFields,
  all: ({ engine }) => {
    const { chats, judged } = engine.lineage.failed
    return chats.size + judged.size > 0 ? ONLY : []
  },
  content(_thing, _id, { engine }) {
    const { chats, judged } = engine.lineage.failed
    const listOf = (calls: ReadonlyMap<number, FailedCall>): [number, Whole<FailedCall>][] => {
      return Array.from(calls, ([key, call]) => [key, whole(call)])
    }
    return { chats: listOf(chats), judged: listOf(judged) }
  },
  restore([saved], { engine }) {
    const { chats, judged } = engine.lineage.failed
    for (const [key, call] of saved?.chats ?? []) chats.set(key, call)
    for (const [key, call] of saved?.judged ?? []) judged.set(key, call)
  },
}

import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import {
  ONLY,
  SECRET,
  type KeyedRecord,
  type OnlyRecord,
  type SavedPart,
} from '../saved/saved-part.js'
import { whole, type Whole } from '../saved/complete.js'
import type { FailedChats } from './failed-chats.js'
import { sampleSchema, type Sample, type SavedSample } from './sample.js'
import type { Samples } from './samples.js'
import {
  failedCallSchema,
  trainedJobSchema,
  type FailedCall,
  type SavedTrainedJob,
  type TrainedJob,
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

/** Null if it was forgotten. */
type SampleRecord = KeyedRecord<'sample', { sample: SavedSample | null }>

/** The answers that were sampled. */
export const savedSamples: SavedPart<SampleRecord, Sample | undefined, LineageWorld> = {
  kind: 'sample',
  key: ({ string }) => string().regex(/^[1-9]\d{0,14}$/),
  fields: (fields) => ({ sample: sampleSchema(fields).nullable() }),
  *all({ engine }) {
    for (const sample of engine.lineage.samples.all) yield [String(sample.number), sample]
  },
  content(sample) {
    if (!sample) return { sample: null }
    // A request has an id only in the journal, which is not saved.
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

/** Null if it was forgotten. */
type TrainedJobRecord = KeyedRecord<'trained', { trained: SavedTrainedJob | null }>

/** What jobs were trained on. */
export const savedTrainedJobs: SavedPart<TrainedJobRecord, TrainedJob | undefined, LineageWorld> = {
  kind: 'trained',
  key: ({ string }) => string().min(1),
  fields: (fields) => ({ trained: trainedJobSchema(fields).nullable() }),
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

function failedChatsFields(fields: RecordFields) {
  const calls = fields.array(fields.tuple([fields.int(), failedCallSchema(fields)]))
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

import type { ModelState } from '../model.js'
import { whole } from '../saved/complete.js'
import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import type { Store } from '../store.js'
import type { Job } from './job.js'
import { jobStateSchema } from './job-state.js'
import { moveSchema } from './saved-move.js'

function progressFields(fields: RecordFields) {
  return {
    state: jobStateSchema(fields),
    script: fields.tuple([fields.count, fields.steps, fields.steps]),
    upcoming: moveSchema(fields).optional(),
    /** When the upcoming move happens. */
    due: fields.moment.optional(),
  }
}

export type SavedProgress = KeyedRecord<'progress', ContentFrom<typeof progressFields>>

export interface ProgressWorld {
  readonly engine: {
    readonly store: Store
    readonly training: {
      planRestored: (model: ModelState, job: Job, due: number | undefined) => void
    }
  }
}

/** What happened to jobs since they were created. */
export const savedProgress: SavedPart<SavedProgress, Job, ProgressWorld> = {
  kind: 'progress',
  fields: progressFields,
  all: ({ engine }) => engine.store.jobs,
  *moved({ engine }) {
    for (const model of engine.store.modelStates) {
      for (const job of model.jobs) if (!job.over) yield [job.id, job]
    }
  },
  content: ({ progress, events, place, upcoming, nextTask }) => ({
    state: whole({ ...progress, moments: events.moments.latest }),
    script: [...place],
    upcoming: upcoming && whole(upcoming),
    due: nextTask?.at,
  }),
  resume(records, { engine: { store, training } }, { later }) {
    const dues = new Map(records.map(({ key, due }) => [key, due]))
    for (const model of store.modelStates) {
      for (const job of model.jobs) {
        const due = dues.get(job.id)
        training.planRestored(model, job, due === undefined ? undefined : due + later)
      }
    }
  },
}

import type { z } from 'zod'
import type { ModelState } from '../model.js'
import { whole } from '../saved/complete.js'
import type { ContentFrom, FieldsOf, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import type { Store } from '../store.js'
import type { Job } from './job.js'
import { jobStateSchema } from './job-state.js'
import type { Move } from './script.js'

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
  content: ({ progress, events, place, waiting: { move, due } }) => ({
    state: whole({ ...progress, moments: events.moments.latest }),
    script: [...place],
    upcoming: move && whole(move),
    due,
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

/** What a move has besides what each has. */
type OwnFieldsOf<Event extends Move['event']> = Omit<
  FieldsOf<Extract<Move, { event: Event }>>,
  'event' | 'after' | 'paused'
>

/** Makes the schema of the next move of a saved job. */
function moveSchema(fields: RecordFields): z.ZodType<Move> {
  const { strictObject, literal, string, record, union, unknown } = fields
  const { number, discriminatedUnion, checkpointOptions, duration } = fields
  const after = number().nonnegative()
  const paused = literal(true).optional()
  // The keys have the order of `Script`, so that a restored world is saved with the same bytes.
  const move = <Event extends Move['event'], Own extends OwnFieldsOf<Event>>(
    event: Event,
    own: Own,
  ) => strictObject({ event: literal(event), after, ...own, paused })
  // A step of a job rule, as in a scenario.
  const step = { event: literal('checkpoint').optional(), after: duration.optional() }
  return discriminatedUnion('event', [
    move('training_started', { data: record(string(), unknown()) }),
    move('gradient_step', {}),
    move('checkpoint', { checkpoint: strictObject({ ...step, ...checkpointOptions }) }),
    move('stall', { until: literal('read').optional() }),
    move('training_ended', {
      checkpoint: union([literal(false), strictObject(checkpointOptions)], {
        error: 'expected false, or the options of the checkpoint',
      }),
    }),
    move('training_failed', { error_message: string() }),
  ])
}

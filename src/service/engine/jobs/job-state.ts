import type { RecordFields, TypeFrom } from '../saved/record-fields.js'
import { momentsSchema } from './moments.js'

function stallSchema({ strictObject, number, literal }: RecordFields) {
  return strictObject({
    /** The time, in ms, from its resumption to its next move. */
    remaining: number().nonnegative(),
    /** Whether it goes on by itself once a client has read it. */
    until: literal('read').optional(),
  })
}

/** Why a job does not go on. */
export type Stall = TypeFrom<typeof stallSchema>

export function jobStateSchema(fields: RecordFields) {
  const { strictObject, string, choice, record, unknown, count, steps, moment } = fields
  return strictObject({
    status: choice(['queued', 'running', 'ended', 'failed']),
    startedAt: moment.optional(),
    endedAt: moment.optional(),
    errorMessage: string().optional(),
    started: record(string(), unknown()).optional(),
    gradientSteps: steps,
    stalled: stallSchema(fields).optional(),
    checkpointStep: count.optional(),
    moments: momentsSchema(fields),
  })
}

/** What happened to a job since it was created, but for its next moves. */
export type JobState = TypeFrom<typeof jobStateSchema>

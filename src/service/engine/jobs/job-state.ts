import { declared, type TypeFrom } from '../saved/declared.js'
import { momentsSchema } from './moments.js'

const stallSchema = declared(({ strictObject, number, literal }) =>
  strictObject({
    /** The time, in ms, from its resumption to its next move. */
    remaining: number().nonnegative(),
    /** Whether it goes on by itself once a client has read it. */
    until: literal('read').optional(),
  }),
)

/** Why a job does not go on. */
export type Stall = TypeFrom<typeof stallSchema>

export const jobStateSchema = declared((fields) => {
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
})

/** What happened to a job since it was created, but for its next moves. */
export type JobState = TypeFrom<typeof jobStateSchema>

/** The same, without the times of its events. */
export type JobProgress = Omit<JobState, 'moments'>

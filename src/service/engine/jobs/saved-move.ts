import type { z } from 'zod'
import type { FieldsOf, RecordFields } from '../saved/record-fields.js'
import type { Move } from './script.js'

/** What a move has besides what each has. */
type OwnFieldsOf<Event extends Move['event']> = Omit<
  FieldsOf<Extract<Move, { event: Event }>>,
  'event' | 'after' | 'paused'
>

/** Makes the schema of the next move of a saved job. */
export function moveSchema(fields: RecordFields): z.ZodType<Move> {
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

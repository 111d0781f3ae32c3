import * as z from 'zod'
import { fault } from '../../scenario/schema/faults.js'
import { checkpointOptions, job } from '../../scenario/schema/jobs.js'
import { savedScenario, savedWithoutFunctions } from '../../scenario/schema/saved-scenario.js'
import { duration } from '../../scenario/schema/text.js'
import { LAST_MOMENT } from './format.js'

const count = z.int().nonnegative()

/** Milliseconds since the epoch. */
export const moment = z.number().min(0).max(LAST_MOMENT)

/** The size of a request body limits the number of sequences. */
const MOST_SEQUENCES = 100_000_000

/** A number. Null if it is not finite, because JSON cannot write it. */
export const figure = z.number().nullable()

/** The index of a rule or an entry in the scenario. -1 if the scenario no longer has it. */
const place = z.int().min(-1)

/** The rule of a job. Its index if it has functions, which cannot be saved. */
const ruleOrPlace = z.union([job, place], {
  error: 'expected a rule, or its index in the scenario',
})

/**
 * What the schemas of saved parts are made of. Only code that reads a saved world imports this file, because loading
 * it takes as long as the rest of the start.
 */
export const recordFields = {
  array: z.array,
  boolean: z.boolean,
  choice: z.enum,
  discriminatedUnion: z.discriminatedUnion,
  int: z.int,
  literal: z.literal,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  tuple: z.tuple,
  union: z.union,
  unknown: z.unknown,
  checkpointOptions,
  count,
  duration,
  fault,
  figure,
  moment,
  place,
  ruleOrPlace,
  savedScenario,
  savedWithoutFunctions,
  steps: count.max(MOST_SEQUENCES),
}

export type RecordFields = typeof recordFields

/** A schema for each field of a type, those that may be left out included, and no other. */
export type FieldsOf<T> = { readonly [K in keyof T]-?: z.ZodType<T[K]> }

/** What records have whose fields have these schemas. */
export type ContentFrom<Fields extends (fields: RecordFields) => z.ZodRawShape> = z.infer<
  z.ZodObject<ReturnType<Fields>>
>

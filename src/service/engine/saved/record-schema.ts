import * as z from 'zod'
import { isObject } from '../../../base/text/options.js'
import { fault } from '../../scenario/schema/faults.js'
import { checkpointOptions, job as jobRule } from '../../scenario/schema/jobs.js'
import { savedScenario, savedWithoutFunctions } from '../../scenario/schema/scenario.js'
import { duration } from '../../scenario/schema/text.js'
import type { JobState } from '../jobs/job.js'
import type { Move } from '../jobs/script.js'
import type { Submission } from '../jobs/submission.js'
import { quickCheck, type Check } from './quick-check.js'
import { LAST_MOMENT, WORLD_VERSION, type WorldRecord } from './records.js'

/**
 * The schemas of the records of a saved world. Only code that reads a saved world imports them, because loading
 * them takes as long as the rest of the start.
 */

type Of<K extends WorldRecord['kind']> = Extract<WorldRecord, { kind: K }>

const count = z.int().nonnegative()

/** Milliseconds since the epoch. */
export const moment = z.number().min(0).max(LAST_MOMENT)

/** The size of a request body limits the number of sequences. */
const MOST_SEQUENCES = 100_000_000
const steps = count.max(MOST_SEQUENCES)

/** A number. Null if it is not finite, because JSON cannot write it. */
export const figure = z.number().nullable() as z.ZodType<number>

const frame = {
  kind: z.literal('world'),
  version: z.literal(WORLD_VERSION),
  seed: z.number(),
  awake: z.boolean(),
  began: moment,
}
const world = z.strictObject({
  ...frame,
  scenario: savedScenario,
  functions: z.literal(false, { error: 'expected true or false' }),
})
const worldWithFunctions = z.strictObject({
  ...frame,
  scenario: savedWithoutFunctions,
  functions: z.literal(true),
}) as unknown as z.ZodType<Of<'world'>>

const modelName = { entity: z.string(), project: z.string(), name: z.string() }

const submission: z.ZodType<Submission> = z.strictObject({
  sequences: steps,
  learningRate: z.union([figure, z.array(figure)]).optional(),
  metrics: z.record(z.string(), figure),
  flaw: z.string().optional(),
  nothingToTrain: z.string().optional(),
})

const after = z.number().nonnegative()
const paused = z.literal(true).optional()

// The keys have the order of `Script`, so that a restored world is saved with the same bytes.
const move: z.ZodType<Move> = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('training_started'),
    after,
    data: z.record(z.string(), z.unknown()),
    paused,
  }),
  z.strictObject({ event: z.literal('gradient_step'), after, paused }),
  z.strictObject({
    event: z.literal('checkpoint'),
    after,
    // A step of a job rule, as in a scenario.
    checkpoint: z.strictObject({
      event: z.literal('checkpoint').optional(),
      after: duration.optional(),
      ...checkpointOptions,
    }),
    paused,
  }),
  z.strictObject({ event: z.literal('stall'), after, paused }),
  z.strictObject({
    event: z.literal('training_ended'),
    after,
    checkpoint: z.union([z.literal(false), z.strictObject(checkpointOptions)], {
      error: 'expected false, or the options of the checkpoint',
    }),
    paused,
  }),
  z.strictObject({ event: z.literal('training_failed'), after, error_message: z.string(), paused }),
])

const state: z.ZodType<JobState> = z.strictObject({
  status: z.enum(['queued', 'running', 'ended', 'failed']),
  startedAt: moment.optional(),
  endedAt: moment.optional(),
  errorMessage: z.string().optional(),
  started: z.record(z.string(), z.unknown()).optional(),
  gradientSteps: steps,
  stalled: z.strictObject({ remaining: after }).optional(),
  checkpointStep: count.optional(),
  moments: z.strictObject({
    size: count,
    last: moment,
    runs: z.array(z.tuple([count, moment, z.number().nonnegative()])),
  }),
})

const liveFault = z.strictObject({
  open: z.boolean(),
  hits: count,
  began: moment,
  calls: z.array(z.tuple([z.string(), count])),
  buckets: z.array(
    z.tuple([z.string(), z.strictObject({ tokens: z.number().nonnegative(), at: moment })]),
  ),
  added: z
    .strictObject({
      id: z.string().regex(/^added-[1-9]\d{0,14}$/, 'expected added- and a number'),
      rule: fault,
      name: z.string(),
      scope: z.strictObject({
        key: z.string().exactOptional(),
        user: z.string().exactOptional(),
        model: z.string().exactOptional(),
      }),
    })
    .optional(),
})

/** The index of a rule or an entry in the scenario. -1 if the scenario no longer has it. */
const place = z.int().min(-1)

const ruleOrPlace = z.union([jobRule, place], {
  error: 'expected a rule, or its index in the scenario',
})

const planned = z.strictObject({
  entry: place,
  at: moment,
  trail: z.array(place),
  happening: z.strictObject({ model: z.string(), job: z.string().optional() }).optional(),
})

/** An answer that a learner remembers. */
const remembered = z.strictObject({
  content: z.string().optional(),
  refusal: z.string().optional(),
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })).optional(),
})

type Schemas = { readonly [K in Exclude<WorldRecord['kind'], 'outgoing'>]: z.ZodType<Of<K>> }

const schemas: Schemas = {
  world,
  clock: z.strictObject({ kind: z.literal('clock'), now: moment }),
  model: z.strictObject({
    kind: z.literal('model'),
    key: z.string(),
    record: z.union(
      [
        z.strictObject({
          id: z.string().min(1),
          ...modelName,
          base_model: z.string(),
          run_id: z.string(),
        }),
        z.literal('deleted'),
      ],
      { error: 'expected a model, or "deleted"' },
    ),
  }),
  name: z.strictObject({
    kind: z.literal('name'),
    key: z.string().refine(isModelName, { error: 'expected entity, project and name as JSON' }),
    made: z.int().positive(),
  }),
  checkpoint: z.strictObject({
    kind: z.literal('checkpoint'),
    key: z.string(),
    model: z.string(),
    step: count,
    createdAt: moment,
    metrics: z.array(z.tuple([z.string(), figure])),
    servedFrom: moment.optional(),
    servedUntil: moment.optional(),
    expiresAt: moment.optional(),
    deleted: z.boolean(),
  }),
  aliases: z.strictObject({
    kind: z.literal('aliases'),
    key: z.string(),
    aliases: z.array(z.tuple([z.string(), z.string()])),
  }),
  job: z.strictObject({
    kind: z.literal('job'),
    key: z.string().min(1),
    jobKind: z.enum(['rl', 'sft']),
    model: z.strictObject({ id: z.string(), ...modelName }),
    ordinal: z.int().positive(),
    createdAt: moment,
    author: z.string(),
    rule: ruleOrPlace,
    submission,
  }),
  progress: z.strictObject({
    kind: z.literal('progress'),
    key: z.string(),
    state,
    script: z.tuple([count, steps, steps]),
    upcoming: move.optional(),
    due: moment.optional(),
  }),
  sft: z.strictObject({ kind: z.literal('sft'), key: z.string(), job: z.string() }),
  faults: z.strictObject({ kind: z.literal('faults'), faults: z.array(liveFault) }),
  timeline: z.strictObject({
    kind: z.literal('timeline'),
    planned: z.array(planned),
    seen: z.array(count),
  }),
  asking: z.strictObject({ kind: z.literal('asking'), key: z.string(), times: count }),
  turns: z.strictObject({ kind: z.literal('turns'), turns: z.array(count) }),
  lessons: z.strictObject({
    kind: z.literal('lessons'),
    key: z.string(),
    lessons: z
      .strictObject({
        model: z.string(),
        step: count.optional(),
        lessons: z.array(z.tuple([z.string(), z.number(), remembered, z.boolean()])),
        kinds: z.array(z.tuple([z.string(), z.int().positive(), z.number()])),
      })
      .nullable(),
  }),
  judged: z.strictObject({ kind: z.literal('judged'), calls: count, mistakes: count }),
  usage: z.strictObject({
    kind: z.literal('usage'),
    key: z.string(),
    total: z.strictObject({
      requests: count,
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
    }),
  }),
}

/**
 * Returns the schema for records of that kind. Undefined for unknown kinds, and for `outgoing` records,
 * which the webhooks check themselves.
 */
export function recordSchema(record: Readonly<Record<string, unknown>>): z.ZodType | undefined {
  const { kind, functions } = record
  if (kind === 'world' && functions === true) return worldWithFunctions
  return typeof kind === 'string' && Object.hasOwn(schemas, kind)
    ? schemas[kind as keyof Schemas]
    : undefined
}

const isPlace = quickCheck(place, { ordered: true })
// The caller checks an object: most jobs have the same rule.
const isRuleOrPlace: Check = (value) => isObject(value) || isPlace(value)
const options = { ordered: true, replaced: new Map([[ruleOrPlace, isRuleOrPlace]]) }
const quickChecks = new Map<string, Check>()

/**
 * Whether a record is certainly what its schema accepts without a change, apart from the rule of a job if it is an
 * object. If not, only the schema knows.
 */
export function isSurelyValid(record: unknown): record is WorldRecord {
  const { kind } = Object(record) as { kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(schemas, kind)) return false
  let check = quickChecks.get(kind)
  if (!check) {
    check = quickCheck(schemas[kind as keyof Schemas], options)
    quickChecks.set(kind, check)
  }
  return check(record)
}

export const recordKinds: readonly string[] = Object.keys(schemas)

function isModelName(key: string): boolean {
  try {
    const parts = JSON.parse(key) as unknown
    return (
      Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string')
    )
  } catch {
    return false
  }
}

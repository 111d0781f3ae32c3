import * as z from 'zod'
import { bounds, conditions } from './condition.js'
import { curve } from './curve.js'
import { code, duration, globs } from './text.js'

/** What a rule may look at, as a function of a scenario in TypeScript is given it. */
export interface JobFacts {
  kind: 'rl' | 'sft'
  entity: string
  project: string
  model: string
  base_model: string
  /** 1 is the first job of its model. */
  ordinal: number
  /** The request's `experimental_config` and, of an SFT job, `config`, in one. */
  config: Readonly<Record<string, unknown>>
  /** Figures of what was submitted: see the README, "Scenarios". */
  data: Readonly<Record<string, unknown>>
  /** Of the trajectories submitted, each one's. */
  metadata: readonly Readonly<Record<string, unknown>>[]
}

const match = z
  .union([
    z.strictObject({
      kind: z.enum(['rl', 'sft']).optional(),
      model: globs.optional().describe("A glob on the model's name"),
      base_model: globs.optional().describe("A glob on the base model's id"),
      entity: globs.optional(),
      project: globs.optional(),
      ordinal: z
        .union([z.int().positive(), bounds])
        .optional()
        .describe('1 is the first job of its model'),
      config: conditions.optional().describe('Values of the configuration that was sent'),
      data: conditions.optional().describe('Figures of the data that was submitted'),
      metadata: conditions.optional().describe('Some trajectory carries all of these'),
    }),
    code<(job: JobFacts) => boolean>(),
  ])
  .default({})

const after = duration.prefault('1s').describe('Since what came before')

/** What a checkpoint of a scenario may be, beyond being there. */
export const checkpointOptions = {
  metrics: z.record(z.string(), z.number()).optional(),
  served_after: duration.optional().describe('Until then it is listed, but chat answers 404'),
  evicted_after: duration.optional().describe('From then on it is listed, but chat answers 404'),
}

const badValue = z.union([
  // Not an enum: the key -Infinity is no valid type literal in the declarations.
  z.literal(['NaN', 'Infinity', '-Infinity', 'missing', 'null']),
  z.strictObject({ text: z.string() }),
])

const spoiled = z.strictObject({
  at: z.union([z.int().positive(), z.array(z.int().positive()).min(1)]).describe('Gradient steps'),
  metric: z.union([z.string(), z.array(z.string()).min(1)]),
  with: badValue.describe('What stands there instead of the number'),
})

/** Of one job: a clock that stands still takes all of them in one go. */
export const MOST_STEPS = 1_000_000
export const stepCount = z.int().nonnegative().max(MOST_STEPS)

const timelineStep = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('training_started'),
    after,
    data: z.record(z.string(), z.unknown()).optional().describe('Further keys of the event'),
  }),
  z.strictObject({
    event: z.literal('gradient_step'),
    after: duration.optional().describe('Before the first of them; default: `every`'),
    every: duration.prefault('1s'),
    within: duration.optional().describe('Pack the steps closer where they would take longer'),
    jitter: duration.optional().describe('Each comes up to so much sooner or later; seeded'),
    count: stepCount.optional().describe('Default: the number of sequences'),
    metrics: z.record(z.string(), curve).default({}),
    spoil: z.array(spoiled).default([]).describe('Bad data, on request'),
  }),
  z.strictObject({ event: z.literal('pause'), for: duration }).describe('Nothing, for a while'),
  z
    .strictObject({ event: z.literal('stall') })
    .describe('Nothing, until the job is resumed: by the timeline of the scenario, or by a test'),
  z.strictObject({ event: z.literal('checkpoint'), after, ...checkpointOptions }),
  z.strictObject({
    event: z.literal('training_ended'),
    after,
    checkpoint: z
      .union([z.boolean(), z.strictObject(checkpointOptions)])
      .default(true)
      .describe('The checkpoint that a finished job adds'),
  }),
  z.strictObject({ event: z.literal('training_failed'), after, error_message: z.string() }),
  z.strictObject({ event: z.literal('never') }).describe('The job stays as it is for ever'),
])

const timeline = z
  .array(timelineStep)
  .min(1)
  .superRefine((steps, context) => {
    steps.forEach((current, index) => {
      const message = misplaced(current, steps.slice(0, index), index === steps.length - 1)
      if (message) context.addIssue({ code: 'custom', message, path: [index, 'event'] })
    })
    const counts = steps.map((step) => (step.event === 'gradient_step' ? (step.count ?? 0) : 0))
    if (counts.reduce((sum, count) => sum + count, 0) <= MOST_STEPS) return
    const message = `a job takes at most ${MOST_STEPS} gradient steps`
    context.addIssue({ code: 'custom', message, path: [counts.findLastIndex(Boolean), 'count'] })
  })

type Step = z.output<typeof timelineStep>

const FINAL: readonly string[] = ['training_ended', 'training_failed', 'never']

/** Why a step may not stand here, in words, if it may not. The order is the real service's. */
function misplaced({ event }: Step, earlier: readonly Step[], last: boolean): string | undefined {
  const started = earlier.some((step) => step.event === 'training_started')
  if (event === 'training_started' && started) return 'a job starts only once'
  if ((event === 'gradient_step' || event === 'checkpoint') && !started) {
    return `a ${event} needs a training_started before it`
  }
  if (last && !FINAL.includes(event)) {
    return 'the last step must be training_ended, training_failed or never'
  }
  if (!last && FINAL.includes(event)) return `nothing can follow ${event}`
  return undefined
}

export const job = z.strictObject({
  description: z.string().optional(),
  match,
  num_sequences: stepCount.optional().describe('Overrides what was submitted'),
  timeline,
})

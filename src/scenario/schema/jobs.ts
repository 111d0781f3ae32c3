import * as z from 'zod'
import { bounds, conditions } from './condition.js'
import { curve } from './curve.js'
import { code, duration, globs } from './text.js'

/** What a scenario in TypeScript can match a job against: the argument of a `match` function. */
export interface JobFacts {
  kind: 'rl' | 'sft'
  entity: string
  project: string
  model: string
  base_model: string
  /** 1 is the first job of its model. */
  ordinal: number
  /** The request's `experimental_config`, merged with `config` for an SFT job. */
  config: Readonly<Record<string, unknown>>
  /** Figures of the submitted data: see the README, "Scenarios". */
  data: Readonly<Record<string, unknown>>
  /** The metadata of each submitted trajectory. */
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
      config: conditions.optional().describe('Values of the submitted configuration'),
      data: conditions.optional().describe('Figures of the submitted data'),
      metadata: conditions.optional().describe('At least one trajectory has all of these'),
    }),
    code<(job: JobFacts) => boolean>(),
  ])
  .default({})

const after = duration.prefault('1s').describe('Time since the event before')

/** The options of a checkpoint in a scenario. */
export const checkpointOptions = {
  metrics: z.record(z.string(), z.number()).optional(),
  served_after: duration
    .optional()
    .describe('Until then the checkpoint is listed, but chat answers 404'),
  evicted_after: duration
    .optional()
    .describe('From then on the checkpoint is listed, but chat answers 404'),
}

const badValue = z.union([
  // Not an enum: the key -Infinity is no valid type literal in the declarations.
  z.literal(['NaN', 'Infinity', '-Infinity', 'missing', 'null']),
  z.strictObject({ text: z.string() }),
])

const spoiled = z.strictObject({
  at: z.union([z.int().positive(), z.array(z.int().positive()).min(1)]).describe('Gradient steps'),
  metric: z.union([z.string(), z.array(z.string()).min(1)]),
  with: badValue.describe('What the event has instead of the number'),
})

/** The most gradient steps of one job: a clock that skips time takes all of them at once. */
export const MOST_STEPS = 1_000_000
export const stepCount = z.int().nonnegative().max(MOST_STEPS)

const timelineStep = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('training_started'),
    after,
    data: z.record(z.string(), z.unknown()).optional().describe('Additional fields of the event'),
  }),
  z.strictObject({
    event: z.literal('gradient_step'),
    after: duration.optional().describe('Time before the first step. Default: `every`'),
    every: duration.prefault('1s'),
    within: duration
      .optional()
      .describe('The longest that all steps may take. They come faster if needed'),
    jitter: duration
      .optional()
      .describe('Each step comes up to this much earlier or later (seeded)'),
    count: stepCount.optional().describe('Default: the number of sequences'),
    metrics: z.record(z.string(), curve).default({}),
    spoil: z.array(spoiled).default([]).describe('Replaces numbers by bad data'),
  }),
  z
    .strictObject({ event: z.literal('pause'), for: duration })
    .describe('Nothing happens for this time'),
  z
    .strictObject({ event: z.literal('stall') })
    .describe('Nothing happens until the timeline of the scenario, or a test, resumes the job'),
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
  z.strictObject({ event: z.literal('never') }).describe('The job stays in this state forever'),
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

/** Says why a step is not allowed at this place, if it is not. The order is that of the real service. */
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
  num_sequences: stepCount.optional().describe('Overrides the submitted number of sequences'),
  timeline,
})

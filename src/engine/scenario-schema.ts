import * as z from 'zod'
import { clockModes, FASTEST } from '../world/clock.js'
import { LOCAL_ACCOUNT } from './account.js'
import { parseDuration } from './duration.js'

/**
 * The one source of what a scenario may say: of its TypeScript types (scenario.ts), of its error
 * messages and of the JSON Schema that editors complete from. Loading it costs as much as the rest
 * of the start, so only what reads a user's scenario imports it; the built-in ones are checked when
 * the package is built.
 */

const DURATION = 'expected a duration such as 250ms, 2s or 1h30m'

const duration = z
  .string({ error: DURATION })
  .transform((text, context) => {
    const milliseconds = parseDuration(text)
    if (milliseconds !== undefined) return milliseconds
    context.addIssue({
      code: 'custom',
      message: DURATION,
      input: text,
    })
    return z.NEVER
  })
  .describe('A duration: 250ms, 2s, 1h30m')

const noise = z.number().nonnegative().optional().describe('Standard deviation of seeded noise')

const curve = z
  .union(
    [
      z.number(),
      z.discriminatedUnion('curve', [
        z.strictObject({ curve: z.literal('constant'), value: z.number(), noise }),
        z.strictObject({ curve: z.literal('linear'), from: z.number(), to: z.number(), noise }),
        z.strictObject({
          curve: z.literal('exponential'),
          from: z.number(),
          to: z.number(),
          noise,
        }),
        z.strictObject({
          curve: z.literal('sigmoid'),
          from: z.number(),
          to: z.number(),
          midpoint: z
            .number()
            .default(0.5)
            .describe('Where it is half-way, as a share of the steps'),
          steepness: z.number().positive().default(10),
          noise,
        }),
        z.strictObject({
          curve: z.literal('step'),
          from: z.number(),
          to: z.number(),
          at: z.int().positive().describe('The first gradient step that has the value `to`'),
          noise,
        }),
        z.strictObject({
          curve: z.literal('list'),
          values: z.array(z.number()).min(1).describe('The last value repeats'),
          noise,
        }),
      ]),
    ],
    { error: 'expected a number or a curve such as { curve: linear, from: 1, to: 0 }' },
  )
  .describe('The course of one metric over the steps of a job')

const timelineStep = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('training_started'),
    after: duration.prefault('1s'),
    data: z.record(z.string(), z.unknown()).optional().describe('Further keys of the event'),
  }),
  z.strictObject({
    event: z.literal('gradient_step'),
    after: duration.optional().describe('Before the first of them; default: `every`'),
    every: duration.prefault('1s'),
    within: duration.optional().describe('Pack the steps closer where they would take longer'),
    count: z.int().nonnegative().optional().describe('Default: the number of sequences'),
    metrics: z.record(z.string(), curve).default({}),
  }),
  z.strictObject({ event: z.literal('training_ended'), after: duration.prefault('1s') }),
  z.strictObject({
    event: z.literal('training_failed'),
    after: duration.prefault('1s'),
    error_message: z.string(),
  }),
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
  })

/** Why a step may not stand here, in words, if it may not. The order is the real service's. */
type Step = z.output<typeof timelineStep>

function misplaced(step: Step, earlier: readonly Step[], last: boolean): string | undefined {
  const started = earlier.some(({ event }) => event === 'training_started')
  if (step.event === 'training_started' && earlier.length > 0) {
    return 'training_started can only be the first step'
  }
  if (step.event === 'gradient_step' && !started) {
    return 'a gradient_step needs a training_started before it'
  }
  const final = ['training_ended', 'training_failed', 'never'].includes(step.event)
  if (last && !final) {
    return 'the last step must be training_ended, training_failed or never'
  }
  if (!last && final) return `nothing can follow ${step.event}`
  return undefined
}

const match = z
  .strictObject({
    kind: z.enum(['rl', 'sft']).optional(),
    model: z.string().optional().describe("A glob on the model's name"),
    base_model: z.string().optional().describe("A glob on the base model's id"),
    ordinal: z.int().positive().optional().describe('1 is the first job of its model'),
  })
  .default({})

const job = z.strictObject({
  match,
  num_sequences: z.int().nonnegative().optional().describe('Overrides what was submitted'),
  timeline,
})

export const scenarioSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  description: z.string().default(''),
  seed: z.int().nonnegative().optional(),
  clock: z
    .strictObject({
      mode: z.enum(clockModes),
      speed: z.number().positive().max(FASTEST).optional(),
    })
    .optional(),
  auth: z
    .strictObject({
      keys: z
        .record(
          z.string().min(1),
          z.strictObject({
            user: z.string().default(LOCAL_ACCOUNT.user),
            entity: z.string().default(LOCAL_ACCOUNT.entity),
          }),
        )
        .optional()
        .describe('The only keys that are accepted; left out: any key'),
      missingStatus: z.union([z.literal(401), z.literal(403)]).default(401),
      open: z.array(z.enum(['health', 'system-check'])).default([]),
    })
    .prefault({}),
  artifactScheme: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*$/, 'expected a URL scheme such as artifact')
    .default('artifact')
    .describe('The scheme of the artifact names that the emulator prints'),
  base_models: z
    .array(z.string().min(1))
    .min(1)
    .default(['example/base-8b-instruct', 'example/base-14b-instruct']),
  models: z
    .array(
      z.strictObject({
        entity: z.string().optional(),
        project: z.string(),
        name: z.string(),
        base_model: z.string(),
      }),
    )
    .default([]),
  sft: z
    .strictObject({
      sequences: z.int().nonnegative().default(8),
      files: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
  jobs: z.array(job).default([]),
})

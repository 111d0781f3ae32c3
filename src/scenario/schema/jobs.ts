import * as z from 'zod'
import { bounds, conditions } from './condition.js'
import { curve } from './curve.js'
import { code, duration, globs } from './text.js'

/** A job, as the `match` function of a job rule gets it. */
export interface JobFacts {
  kind: 'rl' | 'sft'
  entity: string
  project: string
  model: string
  base_model: string
  /** The number of the job among the jobs of its model. 1 is the first. */
  ordinal: number
  /** The request's `experimental_config`, merged with `config` for an SFT job. */
  config: Readonly<Record<string, unknown>>
  /** Figures of the submitted data, such as `trajectories` and `reward`: see the README, "Writing a scenario". */
  data: Readonly<Record<string, unknown>>
  /** The metadata of each submitted trajectory. */
  metadata: readonly Readonly<Record<string, unknown>>[]
}

const match = z
  .union([
    z.strictObject({
      kind: z
        .enum(['rl', 'sft'])
        .optional()
        .describe('The kind of the job: reinforcement learning or supervised fine-tuning.'),
      model: globs
        .optional()
        .describe('The name of the model: a glob such as poet*, or a list of globs.'),
      base_model: globs
        .optional()
        .describe('The id of the base model: a glob, or a list of globs.'),
      entity: globs
        .optional()
        .describe('The entity (team or user) of the model: a glob, or a list of globs.'),
      project: globs.optional().describe('The project of the model: a glob, or a list of globs.'),
      ordinal: z
        .union([z.int().positive(), bounds])
        .optional()
        .describe(
          'The number of the job among the jobs of its model, from 1, or bounds such as { at_least: 2 }.',
        ),
      config: conditions
        .optional()
        .describe(
          'Conditions on values of the submitted configuration, such as learning_rate. All of them must match.',
        ),
      data: conditions
        .optional()
        .describe(
          'Conditions on figures of the submitted data, such as trajectories or reward. All of them must match.',
        ),
      metadata: conditions
        .optional()
        .describe(
          'Conditions on the metadata of trajectories. At least one trajectory must match all of them.',
        ),
    }),
    code<(job: JobFacts) => boolean>(),
  ])
  .default({})
  .describe('The jobs that the rule applies to. Default: all jobs.')

const after = duration.prefault('1s').describe('The time since the event before, such as 1s.')

/** The options of a checkpoint in a scenario. */
export const checkpointOptions = {
  metrics: z
    .record(z.string(), z.number())
    .optional()
    .describe('Metrics of the checkpoint, by name, besides those of its training.'),
  served_after: duration
    .optional()
    .describe(
      'The time until the checkpoint is served, such as 10s. Until then it is listed, but chat answers 404 for it. Default: it is served at once.',
    ),
  evicted_after: duration
    .optional()
    .describe(
      'The time after which the checkpoint is no longer served, such as 10s. It stays listed, but chat answers 404 for it. Default: it is always served.',
    ),
  expires_after: duration
    .optional()
    .describe(
      'The time after which the checkpoint is deleted, such as 1h. From then on no list has it, and chat answers 404 for it. Default: it never expires.',
    ),
}

const badValue = z.union([
  // Not an enum: the key -Infinity is not a valid type literal in the declarations.
  z.literal(['NaN', 'Infinity', '-Infinity', 'missing', 'null']),
  z.strictObject({ text: z.string().describe('The text.') }).describe('A text.'),
])

const spoiled = z.strictObject({
  at: z
    .union([z.int().positive(), z.array(z.int().positive()).min(1)])
    .describe('The gradient step, from 1, or a list of steps.'),
  metric: z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe('The name of the metric, such as loss, or a list of names.'),
  with: badValue.describe(
    'The bad value: NaN, Infinity, -Infinity, null, a text such as { text: n/a }, or missing for no value.',
  ),
})

/** The most gradient steps of one job: a clock that skips time takes all of them at once. */
export const MOST_STEPS = 1_000_000
export const stepCount = z.int().nonnegative().max(MOST_STEPS)

const timelineStep = z.discriminatedUnion('event', [
  z
    .strictObject({
      event: z.literal('training_started'),
      after,
      data: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Fields that are added to the data of the event.'),
    })
    .describe('The job starts.'),
  z
    .strictObject({
      event: z.literal('gradient_step'),
      after: duration
        .optional()
        .describe('The time before the first of these steps, such as 1s. Default: `every`.'),
      every: duration.prefault('1s').describe('The time between two steps, such as 1s.'),
      within: duration
        .optional()
        .describe(
          'The longest time that all of these steps may take, such as 10s. If they would take longer, they come faster. Default: no limit.',
        ),
      jitter: duration
        .optional()
        .describe(
          'Each step comes up to this much earlier or later, such as 50ms. The seed decides. Default: none.',
        ),
      count: stepCount
        .optional()
        .describe('The number of steps. Default: the number of sequences.'),
      metrics: z
        .record(z.string(), curve)
        .default({})
        .describe(
          'The values of metrics, by name. Metrics that are not named here have their usual values.',
        ),
      spoil: z.array(spoiled).default([]).describe('Replaces metrics of some steps by bad values.'),
    })
    .describe('The job takes gradient steps, one after the other.'),
  z
    .strictObject({
      event: z.literal('pause'),
      for: duration.describe('The length of the pause, such as 10s.'),
    })
    .describe('Nothing happens for some time.'),
  z
    .strictObject({ event: z.literal('stall') })
    .describe('Nothing happens until the timeline of the scenario, or a test, resumes the job.'),
  z
    .strictObject({ event: z.literal('checkpoint'), after, ...checkpointOptions })
    .describe('The job adds a checkpoint.'),
  z
    .strictObject({
      event: z.literal('training_ended'),
      after,
      checkpoint: z
        .union([
          z.boolean(),
          z.strictObject(checkpointOptions).describe('The options of the checkpoint.'),
        ])
        .default(true)
        .describe(
          'Whether the job adds a checkpoint as it ends, or the options of the checkpoint.',
        ),
    })
    .describe('The job ends successfully.'),
  z
    .strictObject({
      event: z.literal('training_failed'),
      after,
      error_message: z.string().describe('The error message of the job.'),
    })
    .describe('The job fails.'),
  z
    .strictObject({ event: z.literal('never') })
    .describe('Nothing happens ever again. The job stays in its current state.'),
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

export const nothingToTrain = z
  .union([
    z.enum(['skip', 'train', 'fail']),
    z
      .strictObject({ fail: z.string().min(1).describe('The error message of the job.') })
      .describe('The job fails with this message.'),
  ])
  .default('skip')
  .describe(
    'What an RL job does if no group has two trajectories with different rewards. skip: it takes no gradient steps, except those with a `count`, and ends successfully. train: it trains as usual. fail: it fails. { fail: "out of data" }: it fails with this message.',
  )

export const job = z.strictObject({
  description: z.string().optional().describe('A note for people. It has no effect.'),
  match,
  num_sequences: stepCount
    .optional()
    .describe('The number of sequences that the job announces. Default: the submitted number.'),
  timeline: timeline.describe('What happens to the job, in order.'),
})

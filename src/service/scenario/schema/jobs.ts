import * as z from 'zod'
import { FINAL_STEPS } from '../final-steps.js'
import { MOST_STEPS } from '../most-steps.js'
import { bounds, conditions } from './condition.js'
import { curve } from './curve.js'
import { duration, globs } from './text.js'
import { kindsBy } from './kinds-by.js'
import { anyText, code, natural, nonEmptyText, note, positive, valuesMean } from './values.js'

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
  /** Figures of the submitted data, such as `trajectories` and `reward`: see docs/explain/jobs.md. */
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
        .meta({
          description: 'The kind of the job: reinforcement learning or supervised fine-tuning.',
          examples: ['sft'],
        }),
      model: globs.optional().meta({
        description: 'The name of the model: a glob such as poet*, or a list of globs.',
        examples: ['poet*', ['poet', 'critic']],
      }),
      base_model: globs.optional().meta({
        description: 'The id of the base model: a glob, or a list of globs.',
        examples: ['*-8b-instruct'],
      }),
      entity: globs.optional().meta({
        description: 'The entity (team or user) of the model: a glob, or a list of globs.',
        examples: ['research'],
      }),
      project: globs.optional().meta({
        description: 'The project of the model: a glob, or a list of globs.',
        examples: ['verse*'],
      }),
      ordinal: z
        .union([positive, bounds])
        .optional()
        .meta({
          description:
            'The number of the job among the jobs of its model, from 1, or bounds such as { at_least: 2 }.',
          examples: [2, { at_least: 2 }],
        }),
      config: conditions.optional().meta({
        description:
          'Conditions on values of the submitted configuration, such as learning_rate. All of them must match.',
        examples: [{ learning_rate: { above: 0.001 } }],
      }),
      data: conditions.optional().meta({
        description:
          'Conditions on figures of the submitted data, such as trajectories or reward. All of them must match.',
        examples: [{ trajectories: { below: 4 } }],
      }),
      metadata: conditions.optional().meta({
        description:
          'Conditions on the metadata of trajectories. At least one trajectory must match all of them.',
        examples: [{ split: 'test' }],
      }),
    }),
    code<(job: JobFacts) => boolean>(),
  ])
  .default({})
  .meta({
    description: 'The jobs that the rule applies to. Default: all jobs.',
    examples: [{ model: 'poet*', ordinal: 2 }],
  })

const after = duration
  .prefault('1s')
  .meta({ description: 'The time since the event before, such as 1s.', examples: ['5s'] })

/** The options of a checkpoint in a scenario. */
export const checkpointOptions = {
  metrics: z
    .record(z.string(), z.number())
    .optional()
    .meta({
      description: 'Metrics of the checkpoint, by name, besides those of its training.',
      examples: [{ accuracy: 0.8 }],
    }),
  served_after: duration.optional().meta({
    description:
      'The time until the checkpoint is served, such as 10s. Until then it is listed, but chat answers 404 for it. Default: it is served at once.',
    examples: ['10s'],
  }),
  evicted_after: duration.optional().meta({
    description:
      'The time after which the checkpoint is no longer served, such as 10s. It stays listed, but chat answers 404 for it. Default: it is always served.',
    examples: ['10s'],
  }),
  expires_after: duration.optional().meta({
    description:
      'The time after which the checkpoint is deleted, such as 1h. From then on no list has it, and chat answers 404 for it. Default: it never expires.',
    examples: ['1h'],
  }),
}

const badValue = z.union([
  // Not an enum: the key -Infinity is not a valid type literal in the declarations.
  z.literal(['NaN', 'Infinity', '-Infinity', 'missing', 'null']),
  z
    .strictObject({ text: anyText.meta({ description: 'The text.', examples: ['n/a'] }) })
    .describe('A text.'),
])

const spoiled = z.strictObject({
  at: z
    .union([positive, z.array(positive).min(1)])
    .meta({ description: 'The gradient step, from 1, or a list of steps.', examples: [3, [3, 4]] }),
  metric: z.union([z.string(), z.array(z.string()).min(1)]).meta({
    description: 'The name of the metric, such as loss, or a list of names.',
    examples: ['loss', ['loss', 'reward']],
  }),
  with: badValue.meta({
    description:
      'The bad value: NaN, Infinity, -Infinity, null, a text such as { text: n/a }, or missing for no value.',
    examples: ['NaN', { text: 'n/a' }],
  }),
})

export const stepCount = natural.max(MOST_STEPS)

const happens = kindsBy('event', {})

const timelineStep = z.discriminatedUnion('event', [
  happens('training_started', 'The job starts.', {
    after,
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description: 'Fields that are added to the data of the event.',
        examples: [{ queue: 'gpu' }],
      }),
  }),
  happens('gradient_step', 'The job takes gradient steps, one after the other.', {
    after: duration.optional().meta({
      description: 'The time before the first of these steps, such as 1s. Default: `every`.',
      examples: ['10s'],
    }),
    every: duration
      .prefault('1s')
      .meta({ description: 'The time between two steps, such as 1s.', examples: ['500ms'] }),
    within: duration.optional().meta({
      description:
        'The longest time that all of these steps may take, such as 10s. If they would take longer, they come faster. Default: no limit.',
      examples: ['10s'],
    }),
    jitter: duration.optional().meta({
      description:
        'Each step comes up to this much earlier or later, such as 50ms. The seed decides. Default: none.',
      examples: ['50ms'],
    }),
    count: stepCount.optional().meta({
      description: 'The number of steps. Default: the number of sequences.',
      examples: [6],
    }),
    metrics: z
      .record(z.string(), curve)
      .default({})
      .meta({
        description:
          'The values of metrics, by name. Metrics that are not named here have their usual values.',
        examples: [{ loss: { curve: 'exponential', from: 2, to: 0.3 } }],
      }),
    spoil: z
      .array(spoiled)
      .default([])
      .meta({
        description: 'Replaces metrics of some steps by bad values.',
        examples: [[{ at: 3, metric: 'loss', with: 'NaN' }]],
      }),
  }).meta({ examples: [{ event: 'gradient_step', count: 6, every: '500ms' }] }),
  happens('pause', 'Nothing happens for some time.', {
    for: duration.meta({
      description: 'The length of the pause, such as 10s.',
      examples: ['10s'],
    }),
  }),
  happens('stall', 'Nothing happens until a client reads the job, or something resumes it.', {
    until: z
      .literal('read')
      .optional()
      .meta({
        description: 'Whether the job goes on when a client reads it.',
        examples: ['read'],
      }),
  }),
  happens('checkpoint', 'The job adds a checkpoint.', { after, ...checkpointOptions }),
  happens('training_ended', 'The job ends successfully.', {
    after,
    checkpoint: z
      .union([
        z.boolean(),
        z.strictObject(checkpointOptions).describe('The options of the checkpoint.'),
      ])
      .default(true)
      .meta({
        description:
          'Whether the job adds a checkpoint as it ends, or the options of the checkpoint.',
        examples: [false, { served_after: '10s' }],
      }),
  }),
  happens('training_failed', 'The job fails.', {
    after,
    error_message: anyText.meta({
      description: 'The error message of the job.',
      examples: ['out of memory'],
    }),
  }),
  happens('never', 'Nothing happens ever again. The job stays in its current state.', {}),
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

/** Says why a step is not allowed at this place, if it is not. The order is that of the real service. */
function misplaced({ event }: Step, earlier: readonly Step[], last: boolean): string | undefined {
  const started = earlier.some((step) => step.event === 'training_started')
  if (event === 'training_started' && started) return 'a job starts only once'
  if ((event === 'gradient_step' || event === 'checkpoint') && !started) {
    return `a ${event} needs a training_started before it`
  }
  if (last && !FINAL_STEPS.includes(event)) {
    return 'the last step must be training_ended, training_failed or never'
  }
  if (!last && FINAL_STEPS.includes(event)) return `nothing can follow ${event}`
  return undefined
}

const NOTHING_TO_TRAIN = valuesMean(
  'What an RL job does if no group has two trajectories with different rewards.',
  {
    skip: 'it takes no gradient steps, except those with a `count`, and ends successfully',
    train: 'it trains as usual',
    fail: 'it fails. { fail: "out of data" }: it fails with this message',
  },
)

export const nothingToTrain = z
  .union([
    z.enum(['skip', 'train', 'fail']).meta({ enumDescriptions: NOTHING_TO_TRAIN.enumDescriptions }),
    z
      .strictObject({
        fail: nonEmptyText.meta({
          description: 'The error message of the job.',
          examples: ['out of data'],
        }),
      })
      .describe('The job fails with this message.'),
  ])
  .default('skip')
  .meta({
    description: NOTHING_TO_TRAIN.description,
    examples: ['fail', { fail: 'out of data' }],
  })

export const job = z.strictObject({
  description: note('The second job of a model fails.'),
  match,
  num_sequences: stepCount.optional().meta({
    description: 'The number of sequences that the job announces. Default: the submitted number.',
    examples: [12],
  }),
  timeline: timeline.meta({
    description: 'What happens to the job, in order.',
    examples: [
      [
        { event: 'training_started' },
        { event: 'gradient_step', count: 6 },
        { event: 'training_ended' },
      ],
    ],
  }),
})

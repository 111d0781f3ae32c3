import * as z from 'zod'
import { duration } from './text.js'
import {
  anyText,
  errorStatus,
  json,
  natural,
  nonEmptyText,
  positive,
  valuesMean,
} from './values.js'

/** What an entry of `play.jobs` submits if it does not say it. */
export const USUAL_PLAY = { model: 'my-model', trajectories: 4 } as const
/** How often an entry of `play.jobs` can be submitted. */
export const MOST_REPEATS = 1000

/** A job that `play` submits. */
export const played = z.strictObject({
  kind: z
    .enum(['rl', 'sft'])
    .default('rl')
    .meta({
      description: 'The kind of the job: reinforcement learning or supervised fine-tuning.',
      examples: ['sft'],
    }),
  model: anyText
    .default(USUAL_PLAY.model)
    .meta({ description: 'The name of the model.', examples: ['poet'] }),
  trajectories: natural
    .max(100_000)
    .default(USUAL_PLAY.trajectories)
    .meta({ description: 'The number of trajectories of an RL job.', examples: [16] }),
  rollout: z
    .strictObject({
      ask: nonEmptyText.meta({
        description: 'The user message that the model answers.',
        examples: ['What is 2 + 2?'],
      }),
      reward: nonEmptyText.meta({
        description: 'An answer that contains this text has the reward 1, any other 0.',
        examples: ['4'],
      }),
      step: natural.optional().meta({
        description: 'The step of the checkpoint that answers. Default: the newest checkpoint.',
        examples: [0],
      }),
      request: z
        .record(z.string(), json)
        .default({})
        .meta({
          description: 'Fields that are added to the chat request, such as { logprobs: true }.',
          examples: [{ logprobs: true }],
        }),
      calls: z
        .enum(['one', 'each', 'at_once'])
        .optional()
        .meta({
          ...valuesMean(
            'How the client asks for answers.',
            {
              one: 'one call asks for all answers',
              each: 'one call for each trajectory, one after the other',
              at_once: 'the same, all at the same time',
            },
            'Default: one; for exchanges each.',
          ),
          examples: ['each'],
        }),
      form: z
        .enum(['messages', 'exchanges'])
        .default('messages')
        .meta({
          ...valuesMean('What a trajectory holds.', {
            messages: 'the messages and the choice',
            exchanges: 'the whole HTTP call, as clients capture it',
          }),
          examples: ['exchanges'],
        }),
    })
    .optional()
    .meta({
      description:
        'Makes the trajectories from answers of the newest checkpoint. Default: invented trajectories.',
      examples: [{ ask: 'What is 2 + 2?', reward: '4' }],
    }),
  repeat: positive
    .max(MOST_REPEATS)
    .default(1)
    .meta({ description: 'How many such jobs to submit, one after the other.', examples: [3] }),
  after: duration.prefault('0').meta({
    description: 'How long the client waits before it begins, such as 30s.',
    examples: ['30s'],
  }),
  retry: z
    .array(errorStatus)
    .default([])
    .meta({
      description:
        'Statuses at which the client also retries. It always retries 408, 409, 429 and those from 500 on. Default: none.',
      examples: [[404]],
    }),
})

import * as z from 'zod'
import {
  checkKey,
  checkNames,
  errorChecks,
  MOST_STEPS_BEHIND,
  soughtMistakes,
  type CheckKey,
} from '../check-names.js'
import { flag, natural, nonEmptyText } from './values.js'

const setting = z.union([z.boolean(), z.literal('fail')], {
  error: 'expected true, false or fail',
})

const fail = flag.default(false).meta({
  description: 'Whether it is an error. Otherwise it is a warning.',
  examples: [true],
})

const settings = Object.fromEntries(
  checkNames.map((name) => [
    checkKey(name),
    setting.optional().meta({
      description: `Whether to look for ${soughtMistakes[name]}.`,
      examples: [false, 'fail'],
    }),
  ]),
) as Record<CheckKey, z.ZodOptional<typeof setting>>

/** A setting that may have options of its own. */
function settingWith<Own extends z.ZodRawShape>(own: Own) {
  const options = z.strictObject({ ...own, fail }).meta({ description: 'On, with options.' })
  return z.union([setting, options])
}

const staleAnswers = settingWith({
  most_steps: natural.default(MOST_STEPS_BEHIND).meta({
    description: 'How many steps behind the newest checkpoint an answer may be.',
    examples: [4],
  }),
})

const bestCheckpointDeleted = settingWith({
  metric: nonEmptyText.optional().meta({
    description:
      'The metric by which a checkpoint is the best. Default: val/reward, or else train/reward.',
    examples: ['val/reward'],
  }),
})

/** Which client checks run on clients of the scenario. A test may choose otherwise. */
export const checkSettings = z
  .strictObject({
    ...settings,
    stale_answers: staleAnswers.optional().meta({
      description: `Whether to look for ${soughtMistakes.staleAnswers}, and how old they may be.`,
      examples: [false, { most_steps: 4 }],
    }),
    best_checkpoint_deleted: bestCheckpointDeleted.optional().meta({
      description: `Whether to look for ${soughtMistakes.bestCheckpointDeleted}, and by which metric.`,
      examples: [false, { metric: 'val/reward' }],
    }),
  })
  .prefault({})
  .meta({
    description: `The client checks: false turns one off, and fail makes it an error. With true, ${errorChecks.map(checkKey).join(', ')} are errors, and the others warn.`,
    examples: [{ base_model_answers: false, mixed_prompts: 'fail' }],
  })

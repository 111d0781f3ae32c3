import * as z from 'zod'
import { checkpointOptions } from './jobs.js'
import { duration, glob, globs } from './text.js'

const event = z.enum([
  'model_created',
  'checkpoint_added',
  'alias_added',
  'tag_added',
  'artifact_linked',
  'training_queued',
  'training_started',
  'gradient_step',
  'training_ended',
  'training_failed',
])

const after = z
  .strictObject({
    event,
    model: globs.optional().describe('Of which models; default: any'),
    kind: z.enum(['rl', 'sft']).optional(),
    ordinal: z.int().positive().optional().describe('Of which job of its model'),
    step: z.int().nonnegative().optional().describe('Which gradient step, or checkpoint step'),
    occurrence: z.int().positive().optional().describe('Only that one; default: each'),
  })
  .describe('What it follows')

const when = {
  at: duration.optional().describe('Since the world began'),
  after: after.optional(),
  wait: duration.prefault('0').describe('How long after the event'),
}

const model = globs.optional().describe('Which models; default: the one of the event, or all')
const job = { model, ordinal: z.int().positive().optional().describe('Default: the current job') }

const registry = z.string().regex(/^[^/:]+$/, 'expected a name without / and :')
const collection = registry.describe("Of the registry; default: the model's name")

/** One thing that happens by itself: at a time, or after an event. */
export const happening = z
  .discriminatedUnion('do', [
    z.strictObject({ do: z.literal('add_checkpoint'), ...when, model, ...checkpointOptions }),
    z.strictObject({
      do: z.literal('delete_checkpoint'),
      ...when,
      model,
      step: z.int().nonnegative().optional().describe('Default: the latest'),
    }),
    z
      .strictObject({
        do: z.literal('evict_checkpoint'),
        ...when,
        model,
        step: z.int().nonnegative().optional().describe('Default: the latest'),
      })
      .describe('It stays listed, and chat answers 404'),
    z.strictObject({
      do: z.literal('add_alias'),
      ...when,
      model,
      alias: z.string().regex(/^[^/:]+$/, 'expected an alias without / and :'),
      step: z.int().nonnegative().optional().describe('Default: the latest checkpoint'),
      registry: registry.optional().describe('An alias in this registry; default: of the model'),
      collection: collection.optional(),
    }),
    z.strictObject({
      do: z.literal('add_tag'),
      ...when,
      model,
      tag: z.string().min(1),
      step: z.int().nonnegative().optional().describe('Default: the latest checkpoint'),
    }),
    z
      .strictObject({
        do: z.literal('link'),
        ...when,
        model,
        registry,
        collection: collection.optional(),
        step: z.int().nonnegative().optional().describe('Default: the latest checkpoint'),
      })
      .describe('The checkpoint appears in a registry'),
    z.strictObject({ do: z.literal('open_fault'), ...when, fault: glob }),
    z.strictObject({ do: z.literal('close_fault'), ...when, fault: glob }),
    z.strictObject({ do: z.literal('stall_job'), ...when, ...job }),
    z.strictObject({ do: z.literal('resume_job'), ...when, ...job }),
    z.strictObject({ do: z.literal('finish_job'), ...when, ...job }),
    z.strictObject({
      do: z.literal('fail_job'),
      ...when,
      ...job,
      error_message: z.string().default('Training failed'),
    }),
  ])
  .superRefine(({ at, after: following }, context) => {
    if ((at === undefined) === (following === undefined)) {
      context.addIssue({ code: 'custom', message: 'expected either at or after' })
    }
  })

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
    model: globs.optional().describe('Only for these models. Default: any'),
    kind: z.enum(['rl', 'sft']).optional(),
    ordinal: z
      .int()
      .positive()
      .optional()
      .describe('Only for this job of its model: 1 is the first'),
    step: z
      .int()
      .nonnegative()
      .optional()
      .describe('Only for this gradient step or checkpoint step'),
    occurrence: z
      .int()
      .positive()
      .optional()
      .describe('Only this occurrence, from 1. Default: each'),
  })
  .describe('The event that triggers the entry')

const when = {
  at: duration.optional().describe('Counted from the start of the scenario'),
  after: after.optional(),
  wait: duration.prefault('0').describe('How long after the event'),
}

const model = globs.optional().describe('Which models. Default: the model of the event, or all')
const job = { model, ordinal: z.int().positive().optional().describe('Default: the current job') }

const registry = z.string().regex(/^[^/:]+$/, 'expected a name without / and :')
const collection = registry.describe("The collection in the registry. Default: the model's name")

/** One entry of a timeline: something that happens at a time, or after an event. */
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
      .describe('The checkpoint stays listed, but chat answers 404'),
    z.strictObject({
      do: z.literal('add_alias'),
      ...when,
      model,
      alias: z.string().regex(/^[^/:]+$/, 'expected an alias without / and :'),
      step: z.int().nonnegative().optional().describe('Default: the latest checkpoint'),
      registry: registry
        .optional()
        .describe('Adds the alias in this registry. Default: on the model'),
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
      .describe('Links the checkpoint to a collection of a registry'),
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

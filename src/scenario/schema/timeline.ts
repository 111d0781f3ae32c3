import * as z from 'zod'
import { checkpointOptions } from './jobs.js'
import { duration, globs } from './text.js'

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
    event: event.describe('The type of the event.'),
    model: globs
      .optional()
      .describe(
        'Only events of models with this name: a glob such as poet*, or a list of globs. Default: any model.',
      ),
    kind: z
      .enum(['rl', 'sft'])
      .optional()
      .describe('Only events of jobs of this kind. Default: any kind.'),
    ordinal: z
      .int()
      .positive()
      .optional()
      .describe('Only events of this job of its model. 1 is the first job. Default: any job.'),
    step: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Only events of the checkpoint with this step, or of a job that has taken this number of gradient steps. Default: any step.',
      ),
    occurrence: z
      .int()
      .positive()
      .optional()
      .describe(
        'Only this one of the events that match, counted from 1. Default: the entry happens after each of them.',
      ),
  })
  .describe('The event after which the entry happens. An entry has either `at` or `after`.')

const when = {
  at: duration
    .optional()
    .describe(
      'The time at which the entry happens, such as 30s, counted from the start of the scenario. Under the real clock, the scenario starts with the first request. An entry has either `at` or `after`.',
    ),
  after: after.optional(),
  wait: duration
    .prefault('0')
    .describe('The time between the event in `after` and the entry, such as 1s.'),
}

const model = globs
  .optional()
  .describe(
    'The names of the models that the entry changes: a glob such as poet*, or a list of globs. Default: the model of the event in `after`, or all models.',
  )
const job = {
  model,
  ordinal: z
    .int()
    .positive()
    .optional()
    .describe(
      'The job of the model. 1 is the first job. Default: the job of the event in `after`, or the current job.',
    ),
}

const registry = z.string().regex(/^[^/:]+$/, 'expected a name without / and :')
const collection = registry
  .optional()
  .describe('The collection in the registry. Default: the name of the model.')
const fault = z.string().min(1).describe('The `name` of a fault of this scenario.')
const step = z
  .int()
  .nonnegative()
  .optional()
  .describe('The step of the checkpoint. Default: the latest checkpoint.')

/** One entry of a timeline: something that happens at a time, or after an event. */
export const timelineEntry = z
  .discriminatedUnion('do', [
    z
      .strictObject({ do: z.literal('add_checkpoint'), ...when, model, ...checkpointOptions })
      .describe('Adds a checkpoint to the model.'),
    z
      .strictObject({ do: z.literal('delete_checkpoint'), ...when, model, step })
      .describe('Deletes a checkpoint of the model.'),
    z
      .strictObject({ do: z.literal('evict_checkpoint'), ...when, model, step })
      .describe('Stops serving a checkpoint: it stays listed, but chat answers 404 for it.'),
    z
      .strictObject({
        do: z.literal('add_alias'),
        ...when,
        model,
        alias: z
          .string()
          .regex(/^[^/:]+$/, 'expected an alias without / and :')
          .describe('The alias, such as production.'),
        step,
        registry: registry
          .optional()
          .describe('The registry in which to add the alias. Default: the model itself gets it.'),
        collection,
      })
      .describe('Adds an alias to a checkpoint, and removes it from the checkpoint that had it.'),
    z
      .strictObject({
        do: z.literal('add_tag'),
        ...when,
        model,
        tag: z.string().min(1).describe('The tag, such as reviewed.'),
        step,
      })
      .describe('Adds a tag to a checkpoint.'),
    z
      .strictObject({
        do: z.literal('link'),
        ...when,
        model,
        registry: registry.describe('The name of the registry.'),
        collection,
        step,
      })
      .describe('Links a checkpoint to a collection of a registry.'),
    z
      .strictObject({ do: z.literal('open_fault'), ...when, fault })
      .describe('Opens a fault. From then on it has an effect.'),
    z
      .strictObject({ do: z.literal('close_fault'), ...when, fault })
      .describe('Closes a fault. From then on it has no effect.'),
    z
      .strictObject({ do: z.literal('stall_job'), ...when, ...job })
      .describe('Stalls a job: nothing happens to it until it is resumed.'),
    z
      .strictObject({ do: z.literal('resume_job'), ...when, ...job })
      .describe('Resumes a stalled job where it stopped.'),
    z
      .strictObject({ do: z.literal('finish_job'), ...when, ...job })
      .describe('Ends a job successfully. The rest of its timeline happens at once.'),
    z
      .strictObject({
        do: z.literal('fail_job'),
        ...when,
        ...job,
        error_message: z
          .string()
          .default('Training failed')
          .describe('The error message of the job.'),
      })
      .describe('Fails a job.'),
  ])
  .superRefine(({ at, after: trigger }, context) => {
    if ((at === undefined) === (trigger === undefined)) {
      context.addIssue({ code: 'custom', message: 'expected either at or after' })
    }
  })

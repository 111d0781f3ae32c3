import * as z from 'zod'
import { occurrences } from './fault-fields.js'
import { checkpointOptions } from './jobs.js'
import { RUN_STATES } from '../run-states.js'
import { duration, globs } from './text.js'
import { kindsBy } from './kinds-by.js'
import { anyText, natural, nonEmptyText, positive } from './values.js'

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
  'chat_answered',
  'run_created',
  'run_state_changed',
  'metrics_logged',
  'artifact_committed',
])

const after = z
  .strictObject({
    event: event.meta({
      description:
        'The type of the event. chat_answered: a trained model answers a chat. The entry happens before the client has the answer, which is still that of the checkpoint from before. With `artifact`, alias_added, tag_added and artifact_linked are those of clients.',
      examples: ['training_started', 'chat_answered'],
    }),
    model: globs.optional().meta({
      description:
        'Only events of models with this name: a glob such as poet*, or a list of globs. Default: any model.',
      examples: ['poet*'],
    }),
    kind: z
      .enum(['rl', 'sft'])
      .optional()
      .meta({
        description: 'Only events of jobs of this kind. Default: any kind.',
        examples: ['rl'],
      }),
    ordinal: positive.optional().meta({
      description: 'Only events of this job of its model. 1 is the first job. Default: any job.',
      examples: [2],
    }),
    step: natural.optional().meta({
      description:
        'Only events of the checkpoint with this step, or of a job that has taken this number of gradient steps. Default: any step.',
      examples: [3],
    }),
    run: globs.optional().meta({
      description: 'Only events of runs with this name or id: globs.',
      examples: ['poem*'],
    }),
    state: z
      .enum(RUN_STATES)
      .optional()
      .meta({
        description: 'Only events of runs in this state.',
        examples: ['failed'],
      }),
    artifact: globs.optional().meta({
      description: 'Only what clients do to artifacts with this name: globs.',
      examples: ['rows*'],
    }),
    occurrence: occurrences.optional().meta({
      description:
        'Only these of the events that match, counted from 1: a number, a list of numbers, or a range such as { from: 2, every: 2 }. Default: the entry happens after each of them.',
      examples: [1, { every: 10 }],
    }),
  })
  .meta({
    description: 'The event after which the entry happens. An entry has either `at` or `after`.',
    examples: [{ event: 'training_started' }],
  })

const when = {
  at: duration.optional().meta({
    description:
      'The time at which the entry happens, such as 30s, counted from the start of the scenario. Under the real clock, the scenario starts with the first request. An entry has either `at` or `after`.',
    examples: ['30s'],
  }),
  after: after.optional(),
  wait: duration.prefault('0').meta({
    description: 'The time between the event in `after` and the entry, such as 1s.',
    examples: ['1s'],
  }),
}

const model = globs.optional().meta({
  description:
    'The names of the models that the entry changes: a glob such as poet*, or a list of globs. Default: the model of the event in `after`, or all models.',
  examples: ['poet*'],
})
const job = {
  model,
  ordinal: positive.optional().meta({
    description:
      'The job of the model. 1 is the first job. Default: the job of the event in `after`, or the current job.',
    examples: [2],
  }),
}

const registry = z.string().regex(/^[^/:]+$/, 'expected a name without / and :')
const collection = registry.optional().meta({
  description: 'The collection in the registry. Default: the name of the model.',
  examples: ['poet'],
})
const fault = nonEmptyText.meta({
  description: 'The `name` of a fault of this scenario.',
  examples: ['outage'],
})
const step = natural.optional().meta({
  description: 'The step of the checkpoint. Default: the latest checkpoint.',
  examples: [3],
})

const entry = kindsBy('do', when)

/** One entry of a timeline: something that happens at a time, or after an event. */
export const timelineEntry = z
  .discriminatedUnion('do', [
    entry('add_checkpoint', 'Adds a checkpoint to the model.', {
      model,
      ...checkpointOptions,
    }).meta({ examples: [{ at: '30s', do: 'add_checkpoint' }] }),
    entry('delete_checkpoint', 'Deletes a checkpoint of the model.', { model, step }).meta({
      examples: [{ at: '30s', do: 'delete_checkpoint', step: 1 }],
    }),
    entry(
      'evict_checkpoint',
      'Stops serving a checkpoint: it stays listed, but chat answers 404 for it.',
      { model, step },
    ).meta({ examples: [{ at: '30s', do: 'evict_checkpoint', step: 1 }] }),
    entry(
      'add_alias',
      'Adds an alias to a checkpoint, and removes it from the checkpoint that had it.',
      {
        model,
        alias: z
          .string()
          .regex(/^[^/:]+$/, 'expected an alias without / and :')
          .meta({ description: 'The alias, such as production.', examples: ['production'] }),
        step,
        registry: registry.optional().meta({
          description: 'The registry in which to add the alias. Default: the model itself gets it.',
          examples: ['models'],
        }),
        collection,
      },
    ).meta({
      examples: [{ after: { event: 'training_ended' }, do: 'add_alias', alias: 'production' }],
    }),
    entry('add_tag', 'Adds a tag to a checkpoint.', {
      model,
      tag: nonEmptyText.meta({
        description: 'The tag, such as reviewed.',
        examples: ['reviewed'],
      }),
      step,
    }).meta({ examples: [{ after: { event: 'training_ended' }, do: 'add_tag', tag: 'reviewed' }] }),
    entry('link', 'Links a checkpoint to a collection of a registry.', {
      model,
      registry: registry.meta({ description: 'The name of the registry.', examples: ['models'] }),
      collection,
      step,
    }).meta({ examples: [{ after: { event: 'training_ended' }, do: 'link', registry: 'models' }] }),
    entry('open_fault', 'Opens a fault. From then on it has an effect.', { fault }).meta({
      examples: [{ at: '30s', do: 'open_fault', fault: 'outage' }],
    }),
    entry('close_fault', 'Closes a fault. From then on it has no effect.', { fault }).meta({
      examples: [{ at: '40s', do: 'close_fault', fault: 'outage' }],
    }),
    entry('stall_job', 'Stalls a job: nothing happens to it until it is resumed.', job).meta({
      examples: [{ at: '30s', do: 'stall_job' }],
    }),
    entry('resume_job', 'Resumes a stalled job where it stopped.', job).meta({
      examples: [{ at: '40s', do: 'resume_job' }],
    }),
    entry(
      'finish_job',
      'Ends a job successfully. The rest of its timeline happens at once.',
      job,
    ).meta({ examples: [{ at: '30s', do: 'finish_job' }] }),
    entry('fail_job', 'Fails a job.', {
      ...job,
      error_message: anyText.default('Training failed').meta({
        description: 'The error message of the job.',
        examples: ['Canceled by an operator'],
      }),
    }).meta({ examples: [{ at: '30s', do: 'fail_job', error_message: 'out of memory' }] }),
  ])
  .superRefine(({ at, after: trigger }, context) => {
    if ((at === undefined) === (trigger === undefined)) {
      context.addIssue({ code: 'custom', message: 'expected either at or after' })
    }
  })

import { jobCreations } from '../../../contract/operation-names.js'
import { defineFault } from '../definition.js'

export const failJob = defineFault({
  schema: ({ faultSchema, int, string }) => {
    const description =
      'The call creates a job, and the job fails. A call that is refused is not counted: with `calls: 1`, the next job fails.'
    return faultSchema('fail_job', description, {
      error_message: string()
        .min(1)
        .default('Training failed')
        .meta({ description: 'The error message of the job.', examples: ['out of memory'] }),
      after_steps: int()
        .nonnegative()
        .default(1)
        .meta({
          description:
            'How many gradient steps the job takes before it fails. A job with fewer steps takes all of them.',
          examples: [3],
        }),
    }).meta({ description, examples: [{ fault: 'fail_job', calls: 1 }] })
  },
  words: () => ['fails-job', 'a job that fails'],
  operations: jobCreations,
  survivable: false,
  failure: (rule) => rule,
})

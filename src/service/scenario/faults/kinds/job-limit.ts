import { jobCreations } from '../../../contract/operation-names.js'
import { fillFaultMessage } from '../../fault-message.js'
import { defineFault } from '../definition.js'
import { tooMany } from '../too-many.js'

const COUNTED: readonly string[] = ['all', 'model', 'project']

export const jobLimit = defineFault({
  schema: ({ faultSchema, int, message }) =>
    faultSchema('job_limit', 'Answers 429 to a new job if too many jobs are unfinished.', {
      most: int()
        .positive()
        .meta({
          description:
            'The most jobs that may be queued or running at the same time: all together, or those of the same model or project with `per`.',
          examples: [1],
        }),
      message,
    }).refine(({ per }) => [per].flat().every((each) => COUNTED.includes(each)), {
      path: ['per'],
      error: `expected ${COUNTED.join(', ')}, or a list of them: a job has no other scope`,
    }),
  words: () => ['job-limit', 'status 429 if too many jobs are unfinished'],
  operations: jobCreations,
  survivable: true,
  damage: 'lost',
  apply({ most, message }, { plan, request, unfinishedJobs }) {
    if (unfinishedJobs() < most) return undefined
    plan.ending = tooMany(fillFaultMessage(message, request))
    // A client that only waits must see the end of the job, too.
    plan.wait = 'next'
    return 'too many unfinished jobs'
  },
})

import { counted } from '../../../base/text/counted.js'
import { trainingCheck, trajectoriesWhere } from '../training-check.js'

export const mixedCheckpoints = trainingCheck({
  mistake: 'A trajectory with answers of several checkpoints.',
  legitimate: 'A loop that continues partial rollouts has such trajectories.',
  search: (job) =>
    trajectoriesWhere(job, ({ answers }) => {
      if (answers.length < 2) return undefined
      const steps = new Set(
        answers.flatMap(({ model, step }) => (model === job.model ? (step ?? []) : [])),
      )
      return steps.size < 2 ? undefined : `steps ${[...steps].join(' and ')}`
    }),
  say: (count) =>
    `${counted(count, 'trajectory', 'trajectories')} had answers of several checkpoints`,
  advice: 'name the step in the chats of a rollout, such as the model name with :step3',
})

import { counted } from '../../../base/text/counted.js'
import type { TrainedTrajectory } from '../../../service/engine/lineage/trained-job.js'
import { IF_SAMPLED, trainingCheck, trajectoriesWhere, withoutSample } from '../training-check.js'

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
  judges: 'trajectory',
  blind: { trajectory: hasUnknown },
  onChoices: IF_SAMPLED,
  onMessages: IF_SAMPLED,
  say: (count) =>
    `${counted(count, 'trajectory', 'trajectories')} had answers of several checkpoints`,
  advice: 'name the step in the chats of a rollout, such as the model name with :step3',
})

function hasUnknown({ answers }: TrainedTrajectory): string | undefined {
  return answers.length < 2 ? undefined : answers.map(withoutSample).find(Boolean)
}

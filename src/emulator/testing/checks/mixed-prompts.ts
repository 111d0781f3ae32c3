import { counted } from '../../../base/text/counted.js'
import type { TrainedGroup, TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { trainingCheck, type Evidence } from '../training-check.js'

export const mixedPrompts = trainingCheck({
  mistake: 'A group whose trajectories begin with different prompts.',
  legitimate: 'The agents of one task may have prompts of their own.',
  search: groupsWithPrompts,
  judges: 'group',
  blind: { group: hasNoPrompt },
  say: (count) => `${counted(count, 'group')} had trajectories of different prompts`,
  advice:
    'put trajectories of one prompt into one group, because rewards are compared within a group',
})

function groupsWithPrompts({ job, groups }: TrainedJob): Evidence[] {
  return groups.flatMap(({ trajectories }, group) => {
    const prompts = new Set<number>()
    for (const { answers, begins } of trajectories) if (answers.length > 0) prompts.add(begins)
    return prompts.size < 2 ? [] : { place: { job, group }, what: counted(prompts.size, 'prompt') }
  })
}

function hasNoPrompt({ trajectories }: TrainedGroup): string | undefined {
  if (trajectories.length < 2) return undefined
  const isHidden = trajectories.some(({ answers }) => answers.length === 0)
  return isHidden ? 'a trajectory has no answer' : undefined
}

import { counted } from '../../../base/text/counted.js'
import type { TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { trainingCheck, type Evidence } from '../training-check.js'

export const equalRewards = trainingCheck({
  mistake:
    'Training on groups, when at least half of eight, or all of three, have equal rewards: nothing is learned from those.',
  legitimate: 'Never: such groups cost tokens and train nothing.',
  search: equalGroups,
  outOf: ({ groups }) => groups.length,
  judges: 'group',
  say: (count, all) => `${count} of ${counted(all, 'group')} had equal rewards`,
  advice: 'check the reward function, and choose tasks that the model solves only some of the time',
})

function equalGroups({ job, groups }: TrainedJob): Evidence[] {
  return groups.flatMap(({ isEqual, trajectories }, group) => {
    if (!isEqual) return []
    const reward = trajectories[0]?.reward ?? null
    const what = trajectories.length === 0 ? 'it is empty' : `each is ${reward}`
    return { place: { job, group }, what }
  })
}

import { counted } from '../../../base/text/counted.js'
import type { TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { isMany, trainingCheck, type Evidence } from '../training-check.js'

export const equalRewards = trainingCheck({
  mistake:
    'Training on groups, when at least half of them have equal rewards: nothing is learned from those.',
  legitimate: 'Never: such groups cost tokens and train nothing.',
  search: equalGroups,
  isMany: (count, jobs) => isMany(count, groupsIn(jobs)),
  say: (count, jobs) => `${count} of ${counted(groupsIn(jobs), 'group')} had equal rewards`,
  advice: 'check the reward function, and choose tasks that the model solves only some of the time',
})

function* equalGroups({ job, groups }: TrainedJob): Generator<Evidence> {
  for (const [group, { isEqual, trajectories }] of groups.entries()) {
    if (!isEqual) continue
    const reward = trajectories[0]?.reward ?? null
    const what = trajectories.length === 0 ? 'it is empty' : `each is ${reward}`
    yield { place: { job, group }, what }
  }
}

function groupsIn(jobs: readonly TrainedJob[]): number {
  return jobs.reduce((sum, { groups }) => sum + groups.length, 0)
}

import { counted } from '../../../base/text/counted.js'
import type { TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { trainingCheck, type Evidence } from '../training-check.js'

export const mixedPrompts = trainingCheck({
  mistake: 'A group whose trajectories begin with different prompts.',
  legitimate: 'The agents of one task may have prompts of their own.',
  search: groupsWithPrompts,
  say: (count) => `${counted(count, 'group')} had trajectories of different prompts`,
  advice:
    'put trajectories of one prompt into one group, because rewards are compared within a group',
})

function* groupsWithPrompts({ job, groups }: TrainedJob): Generator<Evidence> {
  for (const [group, { trajectories }] of groups.entries()) {
    const prompts = new Set(
      trajectories.filter(({ answers }) => answers.length > 0).map(({ begins }) => begins),
    )
    if (prompts.size > 1) {
      yield { place: { job, group }, what: counted(prompts.size, 'prompt') }
    }
  }
}

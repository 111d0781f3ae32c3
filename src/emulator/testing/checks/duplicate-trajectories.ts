import { counted } from '../../../base/text/counted.js'
import { trajectoriesOf, type TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { trainingCheck, type Evidence } from '../training-check.js'

export const duplicateTrajectories = trainingCheck({
  mistake: 'A trajectory that is twice in a batch, or in two jobs.',
  legitimate: 'A loop with a replay buffer trains on trajectories again.',
  search: duplicatesIn,
  say: (count) => `${counted(count, 'trajectory', 'trajectories')} had been submitted before`,
  advice: 'submit each rollout once',
})

function* duplicatesIn(job: TrainedJob): Generator<Evidence> {
  for (const { place, trajectory } of trajectoriesOf(job)) {
    if (trajectory.duplicateOf) yield { place, earlier: trajectory.duplicateOf }
  }
}

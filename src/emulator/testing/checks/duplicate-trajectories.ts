import { counted } from '../../../base/text/counted.js'
import type { TrainedTrajectory } from '../../../service/engine/lineage/trained-job.js'
import { evidenceIn, trainingCheck } from '../training-check.js'

export const duplicateTrajectories = trainingCheck({
  mistake: 'A trajectory that is twice in a batch, or in two jobs.',
  legitimate: 'A loop with a replay buffer trains on trajectories again.',
  search: (job) => evidenceIn(job, ({ duplicateOf }) => duplicateOf && [{ earlier: duplicateOf }]),
  judges: 'trajectory',
  blind: { trajectory: isAmbiguous },
  say: (count) => `${counted(count, 'trajectory', 'trajectories')} had been submitted before`,
  advice: 'submit each rollout once',
})

function isAmbiguous({ isAmbiguous: is }: TrainedTrajectory): string | undefined {
  return is ? 'they have the same short answers as others, which may be chance' : undefined
}

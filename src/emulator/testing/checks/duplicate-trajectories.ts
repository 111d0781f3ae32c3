import { counted } from '../../../base/text/counted.js'
import { evidenceIn, trainingCheck } from '../training-check.js'

export const duplicateTrajectories = trainingCheck({
  mistake: 'A trajectory that is twice in a batch, or in two jobs.',
  legitimate: 'A loop with a replay buffer trains on trajectories again.',
  search: (job) => evidenceIn(job, ({ duplicateOf }) => duplicateOf && [{ earlier: duplicateOf }]),
  say: (count) => `${counted(count, 'trajectory', 'trajectories')} had been submitted before`,
  advice: 'submit each rollout once',
})

import { counted } from '../../../base/text/counted.js'
import type { TrainedAnswer } from '../../../service/engine/lineage/trained-job.js'
import { answersIn, answersWhere, IF_SAMPLED, trainingCheck } from '../training-check.js'

export const cutOffAnswers = trainingCheck({
  mistake:
    'Training on answers, when at least half of eight, or all of three, were cut off by the token limit.',
  legitimate: 'Never: the reward of half an answer says little.',
  search: (job) => answersWhere(job, ({ cutOff }) => cutOff === true),
  outOf: answersIn,
  judges: 'answer',
  blind: { answer: isSilent },
  onMessages: IF_SAMPLED,
  say: (count, all) => `${count} of ${counted(all, 'answer')} ended with finish_reason length`,
  advice: 'raise max_tokens, ask for shorter answers, or leave such trajectories out',
})

function isSilent({ isPlain, sample }: TrainedAnswer): string | undefined {
  return isPlain && sample === undefined ? 'messages do not say how they ended' : undefined
}

import { counted } from '../../../base/text/counted.js'
import { answersIn, answersWhere, trainingCheck } from '../training-check.js'

export const cutOffAnswers = trainingCheck({
  mistake: 'Training on answers, when at least half of them were cut off by the token limit.',
  legitimate: 'Never: the reward of half an answer says little.',
  search: (job) => answersWhere(job, ({ cutOff }) => cutOff === true),
  outOf: answersIn,
  say: (count, all) => `${count} of ${counted(all, 'answer')} ended with finish_reason length`,
  advice: 'raise max_tokens, ask for shorter answers, or leave such trajectories out',
})

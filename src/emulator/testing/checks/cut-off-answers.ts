import { counted } from '../../../base/text/counted.js'
import { answersIn, answersWhere, isMany, trainingCheck } from '../training-check.js'

export const cutOffAnswers = trainingCheck({
  mistake: 'Training on answers, when at least half of them were cut off by the token limit.',
  legitimate: 'Never: the reward of half an answer says little.',
  search: (job) => answersWhere(job, ({ cutOff }) => cutOff === true),
  isMany: (count, jobs) => isMany(count, answersIn(jobs)),
  say: (count, jobs) =>
    `${count} of ${counted(answersIn(jobs), 'answer')} ended with finish_reason length`,
  advice: 'raise max_tokens, ask for shorter answers, or leave such trajectories out',
})

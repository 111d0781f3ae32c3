import { counted } from '../../../base/text/counted.js'
import { answersWhere, trainingCheck } from '../training-check.js'

export const missingLogprobs = trainingCheck({
  mistake: 'Answers that were sampled with log probabilities, and are submitted without.',
  legitimate: 'Never: the service needs them to compare the policies.',
  search: (job) => answersWhere(job, ({ lostLogprobs }) => lostLogprobs === true),
  say: (count) => `${counted(count, 'answer')} lost the log probabilities of the chat`,
  advice: 'submit the whole choice, not only its message',
})

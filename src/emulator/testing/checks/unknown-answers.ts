import { counted } from '../../../base/text/counted.js'
import { answersWhere, trainingCheck } from '../training-check.js'

export const unknownAnswers = trainingCheck({
  mistake: 'Training on answers that no chat gave, after the model has answered chats.',
  legitimate: 'Offline data has answers from elsewhere.',
  search: (job) => (job.afterChats ? answersWhere(job, ({ sample }) => sample === undefined) : []),
  judges: 'answer',
  say: (count) => `${counted(count, 'answer')} came from no chat with the model`,
  advice: 'submit the choices that the chats returned',
})

import { counted } from '../../../base/text/counted.js'
import { answersWhere, trainingCheck } from '../training-check.js'

export const changedAnswers = trainingCheck({
  mistake: 'Training on answers whose text, tokens or prompt are not those that were sampled.',
  legitimate: 'A program may edit answers on purpose.',
  search: (job) =>
    answersWhere(
      job,
      ({ changed }) => changed !== undefined,
      ({ changed }) => changed,
    ),
  say: (count) => `${counted(count, 'answer')} differed from what was sampled`,
  advice:
    'submit each answer as it came, and send it back as it came; if tokens drift, give each turn a history of its own',
})

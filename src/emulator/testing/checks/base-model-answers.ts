import { counted } from '../../../base/text/counted.js'
import { answersWhere, IF_SAMPLED, trainingCheck, withoutSample } from '../training-check.js'

export const baseModelAnswers = trainingCheck({
  mistake:
    'Training on answers of the base model, although the model had a checkpoint from training.',
  legitimate: 'A program may train a model on what its base model says (distillation).',
  search: (job) =>
    answersWhere(
      job,
      ({ insteadOfAdapter }) => insteadOfAdapter === true,
      ({ model }) => model,
    ),
  judges: 'answer',
  blind: { answer: withoutSample },
  onChoices: IF_SAMPLED,
  onMessages: IF_SAMPLED,
  say: (count) =>
    `${counted(count, 'answer')} came from the base model, although the model had a checkpoint from training`,
  advice:
    'name the trained model in the chats of a rollout, and find out whether its adapter is applied',
})

import { counted } from '../../../base/text/counted.js'
import type { TrainedAnswer } from '../../../service/engine/lineage/trained-job.js'
import { answersWhere, IF_SAMPLED, trainingCheck } from '../training-check.js'

export const changedAnswers = trainingCheck({
  mistake: 'Training on answers whose text, tokens or prompt are not those that were sampled.',
  legitimate: 'A program may edit answers on purpose.',
  search: (job) =>
    answersWhere(
      job,
      ({ changed }) => changed !== undefined,
      ({ changed }) => changed,
    ),
  judges: 'answer',
  blind: { answer: seesNoChange },
  onChoices: IF_SAMPLED,
  onMessages: IF_SAMPLED,
  inFile: 'whether the token ids of a turn continue those before',
  say: (count) => `${counted(count, 'answer')} differed from what was sampled`,
  advice:
    'submit each answer as it came, and send it back as it came; if tokens drift, give each turn a history of its own',
})

/** Without its sample, only an answer that shows its tokens tells whether they continue those before. */
function seesNoChange(answer: TrainedAnswer): string | undefined {
  const { isPlain, hidesTokens, sample } = answer
  if (sample !== undefined || !(isPlain ?? hidesTokens)) return undefined
  return 'nothing shows what was sampled'
}

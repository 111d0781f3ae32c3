import { counted } from '../../../base/text/counted.js'
import { stepsBehind } from '../../../service/engine/lineage/trained-job.js'
import { answersWhere, IF_SAMPLED, trainingCheck, withoutSample } from '../training-check.js'

/** The options of the check `staleAnswers`. */
export interface StaleAnswersOptions {
  /** How many steps behind the newest checkpoint an answer may be. Default: 1. */
  mostSteps?: number
  /** Whether it is an error. Default: it is a warning. */
  fail?: boolean
}

export const staleAnswers = trainingCheck<StaleAnswersOptions>({
  mistake: 'Training on answers that are more than one step behind the newest checkpoint.',
  legitimate:
    'An asynchronous loop trains on older answers: `{ mostSteps: 4 }` says how old they may be.',
  search: (job, { setting }) => {
    const most = setting?.mostSteps ?? 1
    return answersWhere(
      job,
      (answer) => (stepsBehind(answer, job) ?? 0) > most,
      (answer) => `step ${answer.step}, ${counted(stepsBehind(answer, job)!, 'step')} behind`,
    )
  },
  judges: 'answer',
  blind: { answer: withoutSample },
  onChoices: IF_SAMPLED,
  onMessages: IF_SAMPLED,
  say: (count) => `${counted(count, 'answer')} came from checkpoints that were out of date`,
  advice: 'sample again after each training step, or drop what is too old',
})

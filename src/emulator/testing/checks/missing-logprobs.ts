import { counted } from '../../../base/text/counted.js'
import type { TrainedAnswer, TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { answersWhere, trainingCheck } from '../training-check.js'

export const missingLogprobs = trainingCheck({
  mistake:
    'Answers without log probabilities, if the job skips those, or if they were sampled with them.',
  legitimate:
    'A program may train only the last turns of a conversation, or allow_training_without_logprobs.',
  search: (job) =>
    answersWhere(
      job,
      ({ lostLogprobs }) => lostLogprobs === true,
      ({ isPlain }) => (isPlain ? 'a message' : undefined),
    ),
  judges: 'answer',
  blind: { answer: isUndecided },
  onMessages: 'if the body has `allow_training_without_logprobs`',
  say: (count) => `${counted(count, 'answer')} had no log probabilities`,
  advice: 'ask chats with logprobs: true, and submit the whole choice, not only its message',
})

function isUndecided(
  { noLogprobs, lostLogprobs }: TrainedAnswer,
  { needsLogprobs }: TrainedJob,
): string | undefined {
  if (!noLogprobs || lostLogprobs || needsLogprobs !== undefined) return undefined
  return 'they have no log probabilities, and nothing says allow_training_without_logprobs'
}

import { checks } from '../../src/emulator/testing/checks/index.js'
import { leastOf } from '../../src/emulator/testing/training-check.js'
import { isFileCheck, type CheckName } from '../../src/service/scenario/check-names.js'
import { block, code, page, table } from './markdown.js'

/** What no check can find, because nothing that the emulator sees tells it. */
const NOT_FOUND = [
  'A reward with the wrong sign, or of the wrong thing: only your task says what is good. Under the scenario `learning-policy`, a curve that falls shows it.',
  'A reward after a call that failed, if the trajectory does not have the messages of that call. A client captures only calls that were answered.',
  'Rewards of one trajectory on another one of the same group.',
  'A reward of 0 because the program does not find a score that is there, and metrics whose step is off by one.',
  'Answers of another model, such as a judge or an earlier run: a program may learn from a teacher.',
  'Different rewards of equal answers, such as those of a judge that rates by chance. In a file, those of one group with equal log probabilities are found, because two rollouts seldom have the same.',
  'Log probabilities of another answer with as many tokens.',
  'Validation trajectories that a client logs to a disk, and not to the service, as openpipe-art 0.5.18 to 0.5.23 does: `trainedValidation` finds none of them. If clients log metrics such as `val/reward`, the commands say so. Those with the same short answers as others are left out.',
  'Rollouts that a program drops, for example because an exception is swallowed. One that filters its rollouts looks the same.',
  'A validation that always asks an old checkpoint, and the deletion of the best checkpoint by a metric that only a run has.',
  'Rows of SFT that a later job trains again, as a loop of epochs does. `check-data` finds them in one file.',
  'A loop that starts from its first step again: `explore --crash` finds it.',
  'A prompt of a task that is also in the validation set, and chats that read the answer in their prompt.',
  'Answers of another service that are submitted without any chat of this emulator: it has nothing to compare.',
  'A learning rate, a batch or a number of steps that is too large or too small.',
]

/** Lists the client checks with what they find. */
export function checksPage(): string {
  return page(
    'Client checks',
    'Client checks find mistakes of a client that cost money or hide failures. The Vitest fixture runs them after each passing test. Elsewhere, run them yourself:',
    block('text', 'emulator.assertClientChecks()'),
    'Each check is on unless it is `false`. [Test your code](../how-to/testing.md) shows how to use them.',
    table(
      ['check', 'the mistake'],
      Object.entries(checks).map(([name, { mistake }]) => [code(name), mistake]),
    ),
    'A check that finds something throws a `ClientCheckError` with the code `SVTRAIN_CONDUCT`. Its `findings` name each mistake, and the message says which option allows it.',
    '## What is judged',
    'The checks of training data read all forms of answers: choices and messages, in trajectories and in `additional_histories`, and captured calls in `exchanges` of all four wires. A message is an answer if its history has no choice. `exec --checks` and `check-data` say what they judged, and why not the rest.',
    table(
      ['check', 'judges', 'choices and captured calls', 'messages', 'needs', 'in a file'],
      judgedRows(),
    ),
    `A check that needs several judges fewer only if they have nothing that it looks for. Half are counted over all jobs, so a loop that learns to answer briefly hides that its first answers were cut off. Of what is too little, the commands say, for example, \`4 groups are too few for equalRewards\`. \`No mistake found\` means that each check judged all; \`check-data\` has only some checks. An answer that no chat gave may still be found by what it shows: \`changedAnswers\` compares the token ids of its turns. A split whose name begins with \`train\` counts as training.`,
    '## What no check finds',
    NOT_FOUND.map((each) => `- ${each}`).join('\n'),
  )
}

function judgedRows(): string[][] {
  return Object.entries(checks).flatMap(([name, check]) => {
    if (!('training' in check)) return []
    const { judges, onMessages = 'yes', onChoices = 'yes', inFile = 'yes', ifMany } = check.training
    const needs = ifMany ? leastOf(ifMany) : ''
    const file = isFileCheck(name as CheckName) ? inFile : ''
    return [[code(name), `each ${judges}`, onChoices, onMessages, needs, file]]
  })
}

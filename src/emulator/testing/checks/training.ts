import { counted } from '../../../base/text/counted.js'
import { formatChange, quoteIn } from '../../../service/engine/lineage/answer-change.js'
import { stepsBehind, type TrainedAnswer } from '../../../service/engine/lineage/trained-job.js'
import { MOST_STEPS_BEHIND } from '../../../service/scenario/check-names.js'
import { countedUnits } from '../reach.js'
import { trainingCheck } from '../make-training-check.js'
import { logsValidation } from './validation-metrics.js'

/** The options of the check `staleAnswers`. */
export interface StaleAnswersOptions {
  /** How many steps behind the newest checkpoint an answer may be. Default: 1. */
  mostSteps?: number
  /** Whether it is an error. Default: it is a warning. */
  fail?: boolean
}

/** Why the checks that compare answers with their samples cannot judge one. */
function withoutSample({ sample }: TrainedAnswer): string | undefined {
  return sample === undefined ? 'not from a chat of this emulator' : undefined
}

/** What a group of one trajectory is. */
const LONE = 'one trajectory'
const EMPTY = 'it is empty'

/** What groups had and what to do, if they have fewer than two trajectories. */
const INCOMPARABLE: Readonly<Record<string, readonly [had: string, toDo: string]>> = {
  [LONE]: [
    'one trajectory, so nothing can be compared',
    'sample several trajectories for each prompt, and put them into one group',
  ],
  [EMPTY]: ['no trajectories', 'look for why nothing was sampled, and leave such groups out'],
}
const REMOVED_LOGPROBS = 'the job skips them, but a fault removed their log probabilities'
const NO_LOGPROBS = 'no log probabilities, and nothing says allow_training_without_logprobs'

const IF_SAMPLED = 'if a chat of this emulator gave them'
/** When the checks that compare answers with their samples judge one. */
const COMPARED = { onChoices: IF_SAMPLED, onMessages: IF_SAMPLED }

/** The checks of what jobs are trained on. */
export const trainingChecks = {
  baseModelAnswers: trainingCheck({
    mistake:
      'Training on answers of the base model, although the model had a checkpoint from training.',
    legitimate: 'A program may train a model on what its base model says (distillation).',
    judges: 'answer',
    search: ({ insteadOfAdapter, model }) => insteadOfAdapter && (model ?? true),
    blind: withoutSample,
    ...COMPARED,
    say: ({ count }) =>
      `${counted(count, 'answer')} came from the base model, although the model had a checkpoint from training`,
    advice:
      'name the trained model in the chats of a rollout, and find out whether its adapter is applied',
  }),

  staleAnswers: trainingCheck({
    mistake: 'Training on answers that are more than one step behind the newest checkpoint.',
    legitimate:
      'An asynchronous loop trains on older answers: `{ mostSteps: 4 }` says how old they may be.',
    judges: 'answer',
    search: (answer, job, { mostSteps = MOST_STEPS_BEHIND }: StaleAnswersOptions = {}) => {
      const lag = stepsBehind(answer, job) ?? 0
      return lag > mostSteps && `step ${answer.step}, ${counted(lag, 'step')} behind`
    },
    blind: withoutSample,
    ...COMPARED,
    say: ({ count }) => `${counted(count, 'answer')} came from checkpoints that were out of date`,
    advice: 'sample again after each training step, or drop what is too old',
  }),

  mixedCheckpoints: trainingCheck({
    mistake: 'A trajectory with answers of several checkpoints.',
    legitimate: 'A loop that continues partial rollouts has such trajectories.',
    judges: 'trajectory',
    search({ answers }, job) {
      if (answers.length < 2) return false
      const steps = new Set(
        answers.flatMap(({ model, step }) => (model === job.model ? (step ?? []) : [])),
      )
      return steps.size > 1 && `steps ${[...steps].join(' and ')}`
    },
    blind: ({ answers }) =>
      answers.length < 2 ? undefined : answers.map(withoutSample).find(Boolean),
    ...COMPARED,
    say: ({ count }) => `${countedUnits(count, 'trajectory')} had answers of several checkpoints`,
    advice: 'name the step in the chats of a rollout, such as the model name with :step3',
  }),

  mixedPrompts: trainingCheck({
    mistake: 'A group whose trajectories begin with different prompts.',
    legitimate: 'The agents of one task may have prompts of their own.',
    judges: 'group',
    search({ trajectories }) {
      const prompts = new Set<number>()
      for (const { answers, begins } of trajectories) if (answers.length > 0) prompts.add(begins)
      return prompts.size > 1 && counted(prompts.size, 'prompt')
    },
    blind({ trajectories }) {
      if (trajectories.length < 2) return undefined
      const isHidden = trajectories.some(({ answers }) => answers.length === 0)
      return isHidden ? 'a trajectory has no answer' : undefined
    },
    say: ({ count }) => `${counted(count, 'group')} had trajectories of different prompts`,
    advice:
      'put trajectories of one prompt into one group, because rewards are compared within a group',
  }),

  changedAnswers: trainingCheck({
    mistake: 'Training on answers whose text, tokens or prompt are not those that were sampled.',
    legitimate: 'A program may edit answers on purpose.',
    judges: 'answer',
    search: ({ changed, turn }) =>
      changed && [{ turn, what: formatChange(changed), quote: quoteIn(changed) }],
    // Without its sample, only an answer that shows its tokens tells whether they continue those before.
    blind: ({ isPlain, hidesTokens, sample }) =>
      sample === undefined && (isPlain ?? hidesTokens)
        ? 'nothing shows what was sampled'
        : undefined,
    ...COMPARED,
    inFile: 'whether the token ids of a turn continue those before',
    say: ({ count }) => `${counted(count, 'answer')} differed from what was sampled`,
    advice:
      'submit each answer as it came, and send it back as it came; if tokens drift, give each turn a history of its own',
  }),

  unknownAnswers: trainingCheck({
    mistake: 'Training on answers that no chat gave, after the model has answered chats.',
    legitimate: 'Offline data has answers from elsewhere.',
    judges: 'answer',
    // A change is found by `changedAnswers`. Nobody knows what an answer after it was sampled as.
    search: ({ sample, changed }, { afterChats }) => {
      return afterChats && sample === undefined && changed === undefined
    },
    say: ({ count }) => `${counted(count, 'answer')} came from no chat with the model`,
    advice: 'submit the choices that the chats returned',
  }),

  cutOffAnswers: trainingCheck({
    mistake:
      'Training on answers, when at least half of eight, or all of three, were cut off by the token limit.',
    legitimate: 'Never: the reward of half an answer says little.',
    judges: 'answer',
    search: ({ cutOff }) => cutOff,
    ifMany: true,
    blind: ({ isPlain, sample }) =>
      isPlain && sample === undefined ? 'a message does not say how it ended' : undefined,
    onMessages: IF_SAMPLED,
    say: ({ count, all }) =>
      `${count} of ${counted(all, 'answer')} ended with finish_reason length`,
    byInvention: () => true,
    advice: 'raise max_tokens, ask for shorter answers, or leave such trajectories out',
  }),

  failedCallsScored: trainingCheck({
    mistake:
      'A reward for a trajectory whose chat, or whose call of a judge, failed for good, or got an answer without a score.',
    legitimate:
      'A call that is refused for what it asks, such as a prompt that is too long, or a model that is not served.',
    judges: 'trajectory',
    search({ failed, reward }) {
      if (!failed) return false
      const call = failed.what === 'judge' ? 'the call of the judge' : 'a chat'
      return `${call} got ${failed.got}, the reward is ${reward}`
    },
    say: ({ count }) => `${countedUnits(count, 'trajectory')} got a reward although a call failed`,
    advice: 'repeat the call, or leave the trajectory out',
  }),

  nonFiniteRewards: trainingCheck({
    mistake: 'Rewards that are NaN or infinite, so that no advantage of their group is a number.',
    legitimate: 'Never: the weights may become NaN, too.',
    judges: 'trajectory',
    search: ({ reward }) => reward === null,
    say: ({ count }) =>
      `${countedUnits(count, 'trajectory')} had a reward that is no finite number`,
    advice: 'look for a division by zero in the reward function, and leave such trajectories out',
  }),

  equalRewards: trainingCheck({
    mistake:
      'Training on groups with equal rewards, from which nothing is learned: at least half of eight, or all of a job.',
    legitimate:
      'Never: such groups cost tokens and train nothing. When all tasks are solved, stop, or leave them out.',
    judges: 'group',
    search({ isEqual, trajectories: [first, second] }) {
      if (!isEqual) return false
      if (!first) return EMPTY
      return second ? `each is ${first.reward}` : LONE
    },
    ifMany: 'or all of a job',
    say({ count, all, same, wholeJobs }) {
      const [had] = INCOMPARABLE[same ?? ''] ?? ['equal rewards']
      const jobs = wholeJobs > 0 && `; ${counted(wholeJobs, 'job')} had no other groups`
      return `${count} of ${counted(all, 'group')} had ${had}${jobs || ''}`
    },
    byInvention: ({ same }) => INCOMPARABLE[same ?? ''] === undefined,
    advice: ({ same }) =>
      INCOMPARABLE[same ?? '']?.[1] ??
      'check the reward function, and choose tasks that the model solves only some of the time',
  }),

  missingLogprobs: trainingCheck({
    mistake:
      'Answers without log probabilities, if the job skips those, or if they were sampled with them, or if others have them.',
    legitimate:
      'A program may train only the last turns of a conversation, or allow_training_without_logprobs. What a fault removed is not judged.',
    judges: 'answer',
    search: ({ lostLogprobs, isPlain }) => lostLogprobs && (isPlain ? 'not trainable' : true),
    blind({ isPlain, noLogprobs, lostLogprobs }, { needsLogprobs }) {
      if (!noLogprobs || lostLogprobs) return undefined
      if (needsLogprobs !== undefined) return REMOVED_LOGPROBS
      return isPlain ? `a message, which has ${NO_LOGPROBS}` : NO_LOGPROBS
    },
    unlessOthers: NO_LOGPROBS,
    onMessages: 'if the body has `allow_training_without_logprobs`',
    say: ({ count }) => `${counted(count, 'answer')} had no log probabilities`,
    advice: 'ask chats with logprobs: true, and submit the whole choice, not only its message',
  }),

  duplicateTrajectories: trainingCheck({
    mistake: 'A trajectory that is twice in a batch, or in two jobs, also with another reward.',
    legitimate: 'A loop with a replay buffer trains on trajectories again.',
    judges: 'trajectory',
    search({ duplicateOf: earlier, reward }, { job, groups }) {
      if (!earlier) return false
      const same = groups[earlier.group]?.trajectories[earlier.trajectory]
      const isOther = earlier.job === job && same && same.reward !== reward
      return [
        {
          earlier,
          what: isOther ? `with the reward ${reward} instead of ${same.reward}` : undefined,
        },
      ]
    },
    blind: ({ isAmbiguous }) =>
      isAmbiguous ? 'the same short answers as others, which may be chance' : undefined,
    say: ({ count }) => `${countedUnits(count, 'trajectory')} had been submitted before`,
    advice: 'submit each of them once',
  }),

  trainedValidation: trainingCheck({
    mistake:
      'Training on trajectories that were logged to the service with another split, such as val.',
    legitimate:
      'Splits of training may have names of their own that begin with train, such as train-hard.',
    judges: 'trajectory',
    blindIn: (engine) =>
      logsValidation(engine) && !engine.lineage.hasSplits
        ? 'metrics of a validation were logged, but not its trajectories'
        : undefined,
    search: ({ split }) => split !== undefined && `logged as ${JSON.stringify(split)}`,
    say: ({ count }) =>
      `${countedUnits(count, 'trajectory')} of another split ${count === 1 ? 'was' : 'were'} trained`,
    advice: 'sample validation and training apart, and submit only the second',
  }),

  brokenToolCalls: trainingCheck({
    mistake: 'Tool calls without results, results without calls, or arguments that are not JSON.',
    legitimate: 'The last message may be a call: nobody asks the model again.',
    judges: 'trajectory',
    search: ({ broken }) => broken?.map(({ turn, why }) => ({ turn, what: why })),
    say: ({ count }) => `${counted(count, 'tool call')} did not fit the conversation`,
    advice: 'add a result with the id of each call, and drop calls that cannot be read',
  }),
}

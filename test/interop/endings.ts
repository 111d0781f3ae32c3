import type { CheckName } from '../../src/service/scenario/check-names.js'

/** How the newest openpipe-art ends a short training loop against a service. */
export interface Ending {
  /** `success`, `still waiting`, or the class of the error. */
  ended: string
  /** What the message of the error matches, or the steps of the model at the start and after each job. */
  message: string | RegExp
  /** The client checks that find a mistake of the loop. Default: none. */
  found?: CheckName[]
  /** Those that find one by chance, because the calls of a loop come in any order. */
  mayFind?: CheckName[]
  /** Limits each request of the client to so many seconds, where the scenario hangs. */
  timeout?: number
  /** Whether chats are streamed. */
  stream?: boolean
  /** Whether a judge gives the rewards. */
  judge?: boolean
  /** The rewards of each group. Default: 0 and 1. */
  rewards?: number[]
  /** How often each rollout asks, with all earlier turns. Default: 1. */
  rounds?: number
  /** How many failed rollouts the loop accepts in each turn. Default: none. */
  maxExceptions?: number
  /** Default: `auto`. */
  clock?: 'instant'
}

/** How it ends under each scenario that is not named below. */
export const trains: Ending = { ended: 'success', message: '[0, 1, 2]' }
const waits: Ending = { ended: 'still waiting', message: '' }

function fails(ended: string, message: RegExp): Ending {
  return { ended, message }
}

/**
 * For each built-in scenario under which the loop does not simply train, what the client does. It was derived from
 * what the client reads and retries: it sends each POST once, and raises what goes wrong. It sends a GET up to four
 * times after 408, 409, 429, 5xx and lost connections, and a chat up to three times. It raises every other error
 * status at once, also 404 while it waits for a job. It waits for a job without a limit. It reads NaN in JSON.
 */
export const endings: Record<string, Ending> = {
  // Pages are read in order, items that come twice are counted twice, and an empty page ends the list.
  'adversarial-pagination': { ...trains, message: /^\[0, \d, \d\]$/ },
  // Chats have the name of a step, and the client does not look at how good they are.
  'adapter-not-applied': { ...trains, found: ['baseModelAnswers'] },
  'auth-expired': fails('AuthenticationError', /^Error code: 401 - .*The API key has expired/),
  // The client asks once more after a missing, an unknown and a repeated id. Its second question is answered
  // well, because each second call has a mistake, and the loop judges one group after the other.
  'bad-judge': { ...trains, judge: true },
  // A chat that gets no answer is sent again after its timeout.
  'chat-hangs': { ...trains, timeout: 3 },
  // A stream that has begun is not sent again.
  'chat-stalls-mid-stream': { ...fails('ReadTimeout', /^$/), timeout: 3, stream: true },
  // A chat is not sent again after 404.
  'checkpoint-not-served': fails(
    'NotFoundError',
    /^Error code: 404 - .*learner:step1` does not exist/,
  ),
  'checkpoints-on-the-way': { ...trains, message: /^\[0, \d, \d\]$/ },
  'commit-then-fail': fails('APIConnectionError', /^Connection error\.$/),
  // The conversation grows with each round. Neither the client nor gather sends a chat again after 400.
  'context-overflow': {
    ...fails('BadRequestError', /^Error code: 400 - .*maximum context length is 240 tokens/),
    rounds: 6,
  },
  'cut-off-answers': { ...trains, found: ['cutOffAnswers'] },
  'duplicate-submission': fails('InternalServerError', /^Error code: 504/),
  // Groups without trajectories are submitted if the loop accepts failed rollouts.
  'empty-batch': {
    ...fails(
      'RuntimeError',
      /^Training job failed: .*batch has no trajectories, only 4 exceptions/,
    ),
    maxExceptions: 4,
    found: ['equalRewards'],
  },
  'ends-without-checkpoint': { ...trains, message: '[0, 0, 1]' },
  'failing-job': fails('RuntimeError', /^Training job failed: CUDA out of memory/),
  'fails-at-once': fails('RuntimeError', /^Training job failed: Invalid configuration/),
  'fails-before-start': fails('RuntimeError', /^Training job failed: No accelerator/),
  'fails-late': fails('RuntimeError', /^Training job failed: Saving the checkpoint failed/),
  'flaky-gateway': fails('InternalServerError', /^Error code: 503/),
  'hanging-calls': { ...trains, timeout: 3 },
  // The judge is asked three times, and its error ends the loop.
  'judge-down': { ...fails('ServiceUnavailableError', /503|overloaded/), judge: true },
  'judge-scores-zero': { ...trains, judge: true, found: ['equalRewards'] },
  // The client sleeps a second between two looks, so 3,000 steps must come in a few pages.
  'long-run': { ...trains, clock: 'instant' },
  // The client does not retry an answer that it cannot read.
  'malformed-answers': fails('JSONDecodeError', /./),
  'missing-logprobs': fails('RuntimeError', /^Training job failed: .*missing logprobs/),
  // Each value of a gradient step becomes a float.
  'missing-metrics': fails('TypeError', /NoneType/),
  'model-creation-fails': fails('InternalServerError', /^Error code: 500 - .*workflow error/),
  // The checkpoint that appears last has no reward. The client keeps it, and deletes those from training.
  'moving-pages': {
    ...trains,
    message: /^\[0, \d, \d\]$/,
    found: ['bestCheckpointDeleted'],
  },
  'not-found-at-first': fails('NotFoundError', /^Error code: 404/),
  // The client accepts a job without gradient steps.
  'nothing-to-train': { ...trains, rewards: [1, 1], found: ['equalRewards'] },
  // The rollouts that are dropped decide which of two checkpoints has the higher reward. The loop keeps the last one.
  'overlong-rows': { ...trains, mayFind: ['bestCheckpointDeleted'] },
  'payment-required-then-cleared': fails('APIStatusError', /^Error code: 402/),
  // Checkpoints that appear meanwhile count as steps.
  'policy-moves-mid-rollout': { ...trains, message: /^\[0, \d, \d\]$/ },
  'quota-exhausted': fails('APIStatusError', /^Error code: 402 - .*exceeded your current quota/),
  'rate-limited': fails('RateLimitError', /^Error code: 429/),
  'stale-cursor': fails('NotFoundError', /^Error code: 404/),
  'stray-400': fails('BadRequestError', /^(Error code: 400|<html>)/),
  'stuck-in-queue': waits,
  'stuck-job': waits,
  'textual-metric': fails('ValueError', /^could not convert string to float: 'n\/a'$/),
  'two-jobs': fails('RuntimeError', /^Training job failed: Worker was preempted$/),
}

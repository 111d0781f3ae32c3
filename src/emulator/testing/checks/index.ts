import type { CheckName, FileCheckName } from '../../../service/scenario/check-names.js'
import type { CheckDefinition } from '../check-definition.js'
import type { TrainingCheckDefinition } from '../training-check.js'
import { backwardCursors } from './backward-cursors.js'
import { baseModelAnswers } from './base-model-answers.js'
import { bestCheckpointDeleted } from './best-checkpoint-deleted.js'
import { brokenToolCalls } from './broken-tool-calls.js'
import { changedAnswers } from './changed-answers.js'
import { cutOffAnswers } from './cut-off-answers.js'
import { deliveries } from './deliveries.js'
import { duplicateJobs } from './duplicate-jobs.js'
import { duplicateTrajectories } from './duplicate-trajectories.js'
import { earlyRetries } from './early-retries.js'
import { equalRewards } from './equal-rewards.js'
import { eventsReadAgain } from './events-read-again.js'
import { failedCallsScored } from './failed-calls-scored.js'
import { forgottenJobs } from './forgotten-jobs.js'
import { missingLogprobs } from './missing-logprobs.js'
import { mixedCheckpoints } from './mixed-checkpoints.js'
import { mixedPrompts } from './mixed-prompts.js'
import { pollsPastTheEnd } from './polls-past-the-end.js'
import { skippedEvents } from './skipped-events.js'
import { staleAnswers } from './stale-answers.js'
import { trainedValidation } from './trained-validation.js'
import { uncommittedArtifacts } from './uncommitted-artifacts.js'
import { unfinishedRuns } from './unfinished-runs.js'
import { unknownAnswers } from './unknown-answers.js'
import { unorderedMetrics } from './unordered-metrics.js'

/** The client checks, in the order in which they run and the reference lists them. */
export const checks = {
  duplicateJobs,
  forgottenJobs,
  backwardCursors,
  skippedEvents,
  eventsReadAgain,
  pollsPastTheEnd,
  earlyRetries,
  deliveries,
  baseModelAnswers,
  staleAnswers,
  mixedCheckpoints,
  mixedPrompts,
  changedAnswers,
  unknownAnswers,
  cutOffAnswers,
  failedCallsScored,
  equalRewards,
  missingLogprobs,
  duplicateTrajectories,
  trainedValidation,
  brokenToolCalls,
  bestCheckpointDeleted,
  unorderedMetrics,
  unfinishedRuns,
  uncommittedArtifacts,
} as const satisfies Record<CheckName, CheckDefinition> &
  Record<FileCheckName, TrainingCheckDefinition>

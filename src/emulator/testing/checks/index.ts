import type { CheckName, FileCheckName } from '../../../service/scenario/check-names.js'
import type { CheckDefinition } from '../check-definition.js'
import type { TrainingCheckDefinition } from '../training-check.js'
import { backwardCursors } from './backward-cursors.js'
import { bestCheckpointDeleted } from './best-checkpoint-deleted.js'
import { deliveries } from './deliveries.js'
import { duplicateJobs } from './duplicate-jobs.js'
import { earlyRetries } from './early-retries.js'
import { eventsReadAgain } from './events-read-again.js'
import { forgottenJobs } from './forgotten-jobs.js'
import { pollsPastTheEnd } from './polls-past-the-end.js'
import { skippedEvents } from './skipped-events.js'
import { trainingChecks } from './training.js'
import { uncommittedArtifacts } from './uncommitted-artifacts.js'
import { unfinishedRuns } from './unfinished-runs.js'
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
  ...trainingChecks,
  bestCheckpointDeleted,
  unorderedMetrics,
  unfinishedRuns,
  uncommittedArtifacts,
} as const satisfies Record<CheckName, CheckDefinition> &
  Record<FileCheckName, TrainingCheckDefinition>

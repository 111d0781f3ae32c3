import { finite } from '../../../base/text/non-finite.js'
import type { createSftTrainingJob } from '../../contract/training-job.js'
import type { TrajectoryGroup } from '../../contract/trajectory.js'
import { needsLogprobs, type RlConfig } from './rl-config.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import { summarize, type Batch } from './batch.js'
import { explainWithoutLogprobs, findNothingToTrain } from './nothing-to-train.js'
import type { RlRules } from '../../scenario/scenario.js'
import type { JobFacts } from '../../scenario/schema/jobs.js'
import { declared, type TypeFrom } from '../saved/declared.js'
import { assumedData } from './assumed-data.js'
import { batchSizeOf } from './sft-config.js'
import type { TrainingData } from './training-data.js'

export const submissionSchema = declared((fields) => {
  const { strictObject, string, array, record, union, figure, steps } = fields
  return strictObject({
    sequences: steps,
    learningRate: union([figure, array(figure)]).optional(),
    /** By name. Null if the number that the client sent is not finite. */
    metrics: record(string(), figure),
    /** Why training cannot use the data. The job then fails with this message. */
    flaw: string().optional(),
    /** Why the batch of an RL job has nothing to train on, unless the scenario trains all batches. */
    nothingToTrain: string().optional(),
  })
})

/** The submitted data of a job: its length, and the metrics that depend on the data. */
export type Submission = TypeFrom<typeof submissionSchema>

export interface SubmittedJob {
  submission: Submission
  /** Why the batch of an RL job has nothing to train on, also if the scenario trains it as usual. */
  nothingToTrain?: string | undefined
  /** What an RL job does with answers without log probabilities. Undefined if it has none. */
  withoutLogprobs?: string | undefined
  /** Returns the facts that rules match against. Only needed until the job has its rule. */
  facts: () => Pick<JobFacts, 'config' | 'data' | 'metadata'>
}

/**
 * Makes the submission of an RL job. Rewards and counts come from its trajectories. `rules` decides what happens if
 * there is nothing to train on. `dropped` is the number of trajectories that were too long.
 */
export function rlSubmission(
  groups: readonly TrajectoryGroup[],
  config: RlConfig,
  { rules, dropped = 0 }: { rules: RlRules; dropped?: number },
): SubmittedJob {
  const batch = summarize(groups, { needsLogprobs: needsLogprobs(config) === true })
  const metrics: Record<string, number | null> = {}
  if (batch.reward !== undefined) metrics.reward = batch.reward
  if (batch.rewardStdDev !== undefined) metrics.reward_std_dev = batch.rewardStdDev
  if (batch.exceptions > 0) metrics.exception_rate = batch.exceptionRate
  metrics.num_groups_submitted = batch.groups
  metrics[TRAINABLE_GROUPS] = batch.trainableGroups
  metrics.num_trajectories = batch.trajectories
  metrics.num_trainable_tokens = batch.trainable.tokens
  if (dropped > 0) metrics[DROPPED] = dropped
  for (const [name, value] of batch.groupMetrics) metrics[`group_metric_${name}`] = value
  const rate = config?.learning_rate ?? undefined
  const learningRate = rate === undefined ? undefined : finite(rate)
  const sequences = batch.trainedTrajectories
  const submission: Submission = { sequences, learningRate, metrics, flaw: undefined }
  const why = findNothingToTrain(batch)
  const rule = rules.nothing_to_train
  return {
    submission: why === undefined ? submission : withNothingToTrain(submission, { why, rule }),
    nothingToTrain: why,
    withoutLogprobs: explainWithoutLogprobs(batch.trainable, config),
    facts: () => ({
      config: { ...config },
      data: { ...figuresOf(batch), dropped },
      metadata: groups.flatMap(({ trajectories = [] }) =>
        trajectories.map(({ metadata = {} }) => metadata),
      ),
    }),
  }
}

/** Applies `rl.nothing_to_train` of the scenario to a submission that has nothing to train on. */
function withNothingToTrain(
  submission: Submission,
  { why, rule }: { why: string; rule: RlRules['nothing_to_train'] },
): Submission {
  if (rule === 'train') return submission
  if (rule === 'skip') return { ...submission, sequences: 0, nothingToTrain: why }
  const flaw = rule === 'fail' ? `No suitable data to train on: ${why}` : rule.fail
  return { ...submission, nothingToTrain: why, flaw }
}

/** The metric of an RL job for the groups that it learns from. */
export const TRAINABLE_GROUPS = 'num_groups_trainable'

/** The metric of a job that dropped trajectories, or examples of SFT. `training_started` has it, too. */
export const DROPPED = 'num_dropped_trajectories'

function figuresOf(batch: Batch): Readonly<Record<string, unknown>> {
  const figures: Record<string, unknown> = {
    groups: batch.groups,
    trainable_groups: batch.trainableGroups,
    trajectories: batch.trajectories,
    exceptions: batch.exceptions,
    exception_rate: batch.exceptionRate,
    trainable_tokens: batch.trainable.tokens,
    choices: batch.trainable.choices,
    with_logprobs: batch.trainable.withLogprobs,
    without_logprobs: batch.trainable.choices - batch.trainable.withLogprobs,
    exchanges: batch.trainable.exchanges,
    reward: batch.reward,
    reward_std_dev: batch.rewardStdDev,
  }
  for (const [name, value] of batch.metrics) figures[`metrics.${name}`] = value
  for (const [name, value] of batch.groupMetrics) figures[`group_metrics.${name}`] = value
  return figures
}

/** What decides about an SFT job, besides its data. */
type SftRequest = Pick<
  Infer<typeof createSftTrainingJob>,
  'training_data_url' | 'config' | 'experimental_config'
>

/** Makes the submission of an SFT job: one gradient step for each batch. */
export function sftSubmission(data: TrainingData, request: SftRequest): SubmittedJob {
  const sequences = Math.ceil(data.lines / batchSizeOf(request.config))
  // A file with tokens has at least one in each batch.
  const share = (tokens: number): number =>
    Math.max(Math.sign(tokens), Math.round(tokens / Math.max(1, sequences)))
  const submission = {
    sequences,
    learningRate: learningRateOf(request.config?.learning_rate),
    metrics: {
      num_tokens: share(data.tokens),
      num_trainable_tokens: share(data.trainableTokens),
      ...(data.dropped > 0 && { [DROPPED]: data.dropped }),
    },
    flaw: data.flaw,
  }
  return {
    submission,
    facts: () => ({
      config: { ...request.experimental_config, ...request.config },
      data: {
        url: request.training_data_url,
        examples: data.lines,
        dropped: data.dropped,
        tokens: data.tokens,
        trainable_tokens: data.trainableTokens,
      },
      metadata: [],
    }),
  }
}

/** Returns the learning rate, or the rate of each step. An empty list counts as none. */
function learningRateOf(
  submitted: number | readonly number[] | null | undefined,
): Submission['learningRate'] {
  if (typeof submitted === 'number') return finite(submitted)
  return submitted && submitted.length > 0 ? submitted.map(finite) : undefined
}

/** Makes the submission of an SFT job whose data nobody sent: figures are assumed. */
export function assumedSubmission(training_data_url: string, examples: number): SubmittedJob {
  const request = { training_data_url, config: null, experimental_config: null }
  return sftSubmission(assumedData(training_data_url, examples), request)
}

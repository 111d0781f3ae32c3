import type { Infer } from '../../contract/pydantic/schema.js'
import type { createTrainingJob } from '../../contract/training-job.js'

/** The settings of an RL job, as a client sends them. */
export type RlConfig = Infer<typeof createTrainingJob>['experimental_config']

/**
 * Whether an answer without log probabilities contributes nothing. Undefined if the body does not say: what the service
 * does then is unknown.
 */
export function needsLogprobs(config: RlConfig): boolean | undefined {
  const { allow_training_without_logprobs: allowed } = config ?? {}
  return typeof allowed === 'boolean' ? !allowed : undefined
}

import type { Infer } from '../../contract/pydantic/schema.js'
import type { createSftTrainingJob } from '../../contract/training-job.js'

/** The settings of an SFT job. */
export type SftConfig = Infer<typeof createSftTrainingJob>['config']

/** The number of examples of each gradient step. A batch size of `auto` counts as 1. */
export function batchSizeOf(config: SftConfig): number {
  const { batch_size: size } = config ?? {}
  return typeof size === 'number' ? Math.max(1, size) : 1
}

import { NEWEST_CONTRACT, type ContractVersion } from '../contract/versions.js'
import { chatOperations } from './chat.js'
import { checkpointOperations } from './checkpoints.js'
import { healthOperations } from './health.js'
import { olderRows } from './in-contract.js'
import { inferenceOperations } from './inference.js'
import { modelOperations } from './models.js'
import { describeInferenceApi, describeTrainingApi } from './openapi.js'
import type { Operation } from './operation.js'
import { platformOperations } from './platform/rows.js'
import { trainingJobOperations } from './training-jobs.js'

/** The emulated API, in the newest contract. To add an operation, add a row to one of these. */
export const operations: readonly Operation[] = [
  ...chatOperations,
  ...modelOperations,
  ...checkpointOperations,
  ...trainingJobOperations,
  ...healthOperations,
  describeTrainingApi,
  ...inferenceOperations,
  describeInferenceApi,
  ...platformOperations,
]

/** The emulated API in a contract. */
export function operationsIn(version: ContractVersion): readonly Operation[] {
  return version === NEWEST_CONTRACT ? operations : olderRows(operations, version)
}

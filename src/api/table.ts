import { chatOperations } from './chat.js'
import { checkpointOperations } from './checkpoints.js'
import { extensionOperations } from './extensions.js'
import { healthOperations } from './health.js'
import { inferenceOperations } from './inference.js'
import { modelOperations } from './models.js'
import { describeInferenceApi, describeTrainingApi } from './openapi.js'
import type { Operation } from './operation.js'
import { trainingJobOperations } from './training-jobs.js'

/** The emulated API. To add an operation, add a row to one of these. */
export const operations: readonly Operation[] = [
  ...chatOperations,
  ...modelOperations,
  ...checkpointOperations,
  ...trainingJobOperations,
  ...healthOperations,
  describeTrainingApi,
  ...inferenceOperations,
  describeInferenceApi,
  ...extensionOperations,
]

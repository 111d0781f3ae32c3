/** The ids of the API's own operations, so that editors offer them. */
export const operationNames = [
  'createChatCompletionSlashed',
  'createChatCompletion',
  'createModel',
  'deleteModel',
  'logTrajectories',
  'listBaseModels',
  'listCheckpoints',
  'deleteCheckpoints',
  'createRlTrainingJob',
  'createSftTrainingJob',
  'getTrainingJob',
  'listTrainingJobEvents',
  'healthCheck',
  'systemCheck',
  'describeTrainingApi',
  'createInferenceChatCompletion',
  'listServedModels',
  'describeInferenceApi',
] as const

export type OperationName = (typeof operationNames)[number]

/** The ids of the emulated operations, so that editors can suggest them. */
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

/** The id of an operation of the emulated API. `docs/reference/operations.md` describes each. */
export type OperationName = (typeof operationNames)[number]

/** Whether an operation is a chat, on either host. */
export function isChatOperation(operation: string | undefined): boolean {
  return operation?.includes('ChatCompletion') === true
}

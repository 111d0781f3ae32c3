/** The operations that the SDK of runs calls beside the program, again and again if they fail. */
const sdkOperations = ['platformGraphql', 'dropTelemetry', 'streamRun', 'uploadFile'] as const

/** The operations about runs and artifacts. */
export const platformOperationNames = [
  ...sdkOperations,
  'downloadFile',
  'downloadArtifactFile',
  'downloadArtifactEntry',
] as const

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
  ...platformOperationNames,
] as const

/** The id of an operation of the emulated API. `docs/reference/operations.md` describes each. */
export type OperationName = (typeof operationNames)[number]

/**
 * The id of an operation, from the name of a call: `platformGraphql.CommitArtifact` is a call of `platformGraphql` whose
 * query has the name `CommitArtifact`.
 */
export function operationIdIn(call: string): string {
  const end = call.indexOf('.')
  return end === -1 ? call : call.slice(0, end)
}

/** Whether a call is one of those that the SDK of runs makes beside the program. */
export function isOfSdk(call: string): boolean {
  return sdkOperations.some((name) => name === operationIdIn(call))
}

/** Whether nobody waits for the answer to a call of an operation. */
export function isUnawaited(operation: string): boolean {
  return operation === ('dropTelemetry' satisfies OperationName)
}

/** The operations that create jobs. */
export const jobCreations: readonly string[] = [
  'createRlTrainingJob',
  'createSftTrainingJob',
] satisfies readonly OperationName[]

/** The operations that tell how jobs went. */
export const jobReads: readonly string[] = [
  'getTrainingJob',
  'listTrainingJobEvents',
  'listCheckpoints',
] satisfies readonly OperationName[]

/** The operations that answer with a page of a list. */
export const pageReads: readonly string[] = [
  'listTrainingJobEvents',
  'listCheckpoints',
] satisfies readonly OperationName[]

const chatOperations: readonly (string | undefined)[] = [
  'createChatCompletion',
  'createChatCompletionSlashed',
  'createInferenceChatCompletion',
] satisfies readonly OperationName[]

/** Whether an operation is a chat, on either host. */
export function isChatOperation(operation: string | undefined): boolean {
  return chatOperations.includes(operation)
}

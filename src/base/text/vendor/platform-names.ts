/** Names on the wire of runs and artifacts that its clients have in their code. */

/** What the text begins with whose MD5 is the digest of an artifact. */
export const ARTIFACT_DIGEST_PREFIX = 'wandb-artifact-manifest-v1'

/** What the names of artifacts begin with, as `training_data_url` takes them. */
export const ARTIFACT_SCHEME = 'wandb-artifact'

/** The key of the step of a checkpoint in a row of metrics, and what the names of metrics of training begin with. */
export const TRAINING_ROW = { step: 'training_step', metrics: 'train/' } as const

/** The path of a manifest. */
export const MANIFEST_PATH = 'wandb_manifest.json'

/** Where the SDK sends metrics and logs about itself: the kind of data follows. */
export const TELEMETRY_PATH = '/sdk/otel/v1'

/** Where the SDK reads a file of an artifact whose address it has not asked for, or whose address failed. */
export const ARTIFACT_FILES_PATH = '/artifactsV2'

/** Where the metadata of an adapter names its base model. */
export const BASE_MODEL_KEYS = ['base_model', 'wandb.base_model'] as const

/** How the SDK finds the contents of the files of an artifact: its manifest says it. */
export const STORAGE_POLICY = {
  storagePolicy: 'wandb-storage-policy-v1',
  storagePolicyConfig: { storageLayout: 'V2' },
} as const

/** The files of a stream of a run, with what each of them holds. */
export const STREAMED_FILES = {
  'wandb-history.jsonl': 'history',
  'wandb-events.jsonl': 'events',
  'wandb-summary.json': 'summary',
  'output.log': 'output',
} as const

/** The headers in which each of several programs that share a run says its name. */
export const WRITER_HEADERS = {
  stream: 'x-wandb-async-client-id',
  graphql: 'x-wandb-client-id',
} as const

/** What the paths of the contents of artifacts begin with. */
export const ARTIFACT_STORE = 'wandb_artifacts'

/** The file with what the program of a run printed. */
export const OUTPUT_FILE = 'output.log'

/** What the SDK prints when it drops metrics, because their step is below the last one. */
export const DROPPED_STEP = /Tried to log to step (\d+) that is less than the current step (\d+)/

/** The key of a config under which the SDK writes about itself. */
export const OWN_CONFIG = '_wandb'

/** The field of a run that has it. */
export const OWN_CONFIG_FIELD = 'wandbConfig'

/** The field of an organization that the SDK asks for when a run opens. */
export const ORGANIZATION_ID_FIELD = 'coreWeaveOrganizationId'

/** The flag of an organization whose teams can be watched. */
export const TEAM_AUTOMATIONS_FLAG = 'automation_entity_scope'

/** What the names of registries begin with. */
export const REGISTRY_PREFIX = 'wandb-registry-'

/** Features of a server that the SDK asks for by name. Without them it sends older queries. */
export const SERVER_FEATURES = [
  'ARTIFACT_COLLECTION_MEMBERSHIP_FILES',
  'ARTIFACT_COLLECTION_MEMBERSHIP_FILE_DOWNLOAD_HANDLER',
  'ARTIFACT_COLLECTIONS_FILTERING_SORTING',
  'ARTIFACT_DIGEST_ALGORITHM',
  'ARTIFACT_MEMBERSHIP_IN_LINK_ARTIFACT_RESPONSE',
  'ARTIFACT_REGISTRY_SEARCH',
  'ARTIFACT_TAGS',
  // What automations may be. 0.22 makes these names of those of events.
  'AUTOMATION_ACTION_ARIA',
  'AUTOMATION_ACTION_NO_OP',
  'AUTOMATION_ACTION_PUSH_NOTIFICATION',
  'AUTOMATION_EVENT_ADD_ARTIFACT_TAG',
  'AUTOMATION_EVENT_ADD_COLLECTION_TAG',
  'AUTOMATION_EVENT_REMOVE_ARTIFACT_TAG',
  'AUTOMATION_EVENT_REMOVE_COLLECTION_TAG',
  'AUTOMATION_EVENT_RUN_METRIC',
  'AUTOMATION_EVENT_RUN_METRIC_CHANGE',
  'AUTOMATION_EVENT_RUN_METRIC_ZSCORE',
  'AUTOMATION_EVENT_RUN_STATE',
  'AUTOMATION_EVENT_UNLINK_ARTIFACT',
  'AUTOMATION_SCOPE_ENTITY',
  // The SDK warns in its log without it. The axes of metrics are kept in the config of the run, as they are sent.
  'EXPAND_DEFINED_METRIC_GLOBS',
  'INCLUDE_ARTIFACT_TYPES_IN_REGISTRY_CREATION',
  'PROJECT_ARTIFACT_COLLECTION_MEMBERSHIP',
  'QUERY_AUTOMATIONS_ON_ENTITY',
  'TOTAL_COUNT_IN_FILE_CONNECTION',
] as const

/** What automations do: where a client says it, and what it reads back. Only webhooks are sent. */
export const AUTOMATION_ACTIONS = {
  GENERIC_WEBHOOK: { input: 'genericWebhookActionInput', view: 'GenericWebhookTriggeredAction' },
  NOTIFICATION: { input: 'notificationActionInput', view: 'NotificationTriggeredAction' },
  NO_OP: { input: 'noOpActionInput', view: 'NoOpTriggeredAction' },
  QUEUE_JOB: { input: 'queueJobActionInput', view: 'QueueJobTriggeredAction' },
  ARIA: { input: 'ariaActionInput', view: 'ARIATriggeredAction' },
  PUSH_NOTIFICATION: {
    input: 'pushNotificationActionInput',
    view: 'PushNotificationTriggeredAction',
  },
} as const

/** The type of an integration that is a channel of a chat program. */
export const CHANNEL_INTEGRATION = 'SlackIntegration'

/** The event of another product, whose conditions are not known. */
export const TRACE_EVENT = 'WEAVE_METRIC_THRESHOLD'

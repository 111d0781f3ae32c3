import type { EventType } from './scenario.js'

/** The events that automations can watch for. */
export const eventTypes = [
  'CREATE_ARTIFACT',
  'LINK_ARTIFACT',
  'UNLINK_ARTIFACT',
  'ADD_ARTIFACT_ALIAS',
  'ADD_ARTIFACT_TAG',
  'REMOVE_ARTIFACT_TAG',
  'ADD_COLLECTION_TAG',
  'REMOVE_COLLECTION_TAG',
  'RUN_METRIC',
  'RUN_METRIC_CHANGE',
  'RUN_METRIC_ZSCORE',
  'RUN_STATE',
] as const satisfies readonly EventType[]

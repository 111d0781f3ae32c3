import type { EventType } from './scenario.js'

/** The events that automations can watch for. */
export const eventTypes = [
  'CREATE_ARTIFACT',
  'LINK_ARTIFACT',
  'ADD_ARTIFACT_ALIAS',
  'ADD_ARTIFACT_TAG',
  'RUN_METRIC',
  'RUN_METRIC_CHANGE',
  'RUN_STATE',
] as const satisfies readonly EventType[]

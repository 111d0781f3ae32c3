import type { EventType } from './scenario.js'

/** A key for each event of the schema: the compiler names one that is missing. */
const EVENT_TYPES: Readonly<Record<EventType, true>> = {
  CREATE_ARTIFACT: true,
  LINK_ARTIFACT: true,
  UNLINK_ARTIFACT: true,
  ADD_ARTIFACT_ALIAS: true,
  ADD_ARTIFACT_TAG: true,
  REMOVE_ARTIFACT_TAG: true,
  ADD_COLLECTION_TAG: true,
  REMOVE_COLLECTION_TAG: true,
  RUN_METRIC: true,
  RUN_METRIC_CHANGE: true,
  RUN_METRIC_ZSCORE: true,
  RUN_STATE: true,
}

/** Whether an event, as scenarios or clients name it, is about a run, and not about an artifact or a collection. */
export function isOfRun(event: string): boolean {
  return event.startsWith('RUN_')
}

/** The events that automations can watch for. */
export const eventTypes = Object.keys(EVENT_TYPES) as readonly EventType[]

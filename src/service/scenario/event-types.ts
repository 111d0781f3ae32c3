import type { EventType } from './scenario.js'

const SHARED = ['entity', 'project', 'author'] as const
const STATE = [...SHARED, 'run', 'state'] as const
const METRIC = [...STATE, 'metrics'] as const
const COLLECTION = [...SHARED, 'registry', 'collection'] as const
const VERSION = [...COLLECTION, 'version', 'metadata'] as const

/** The facts that each event of the schema has: the compiler names an event that is missing. */
const FACTS = {
  CREATE_ARTIFACT: VERSION,
  LINK_ARTIFACT: VERSION,
  UNLINK_ARTIFACT: VERSION,
  ADD_ARTIFACT_ALIAS: [...VERSION, 'alias'],
  ADD_ARTIFACT_TAG: [...VERSION, 'tag'],
  REMOVE_ARTIFACT_TAG: [...VERSION, 'tag'],
  ADD_COLLECTION_TAG: [...COLLECTION, 'tag'],
  REMOVE_COLLECTION_TAG: [...COLLECTION, 'tag'],
  RUN_METRIC: METRIC,
  RUN_METRIC_CHANGE: METRIC,
  RUN_METRIC_ZSCORE: METRIC,
  RUN_STATE: STATE,
} as const satisfies Readonly<Record<EventType, readonly string[]>>

/** A fact that an event may have. */
export type EventFact = (typeof FACTS)[EventType][number]

/** Tells the facts that an event has from the others. */
export function factsOf(type: EventType): readonly EventFact[] {
  return FACTS[type]
}

/** Whether an event, as scenarios or clients name it, is about a run, and not about an artifact or a collection. */
export function isOfRun(event: string): boolean {
  return event.startsWith('RUN_')
}

/** The events that automations can watch for. */
export const eventTypes = Object.keys(FACTS) as readonly EventType[]

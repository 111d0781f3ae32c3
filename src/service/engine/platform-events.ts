import type { PlatformChange } from '../platform/platform-change.js'

/** The changes of runs and artifacts that are engine events. An artifact is a version when it is committed. */
const EVENTFUL = [
  'run_created',
  'run_state_changed',
  'metrics_logged',
  'artifact_committed',
  'alias_added',
  'tag_added',
  'tag_removed',
  'collection_tag_added',
  'collection_tag_removed',
  'artifact_linked',
  'artifact_unlinked',
] as const satisfies readonly PlatformChange['type'][]

/** A change of runs and artifacts that is an engine event. */
export type EventfulChange = Extract<PlatformChange, { type: (typeof EVENTFUL)[number] }>

/**
 * Returns the changes that are engine events. The tags that an artifact gets before it is committed are added when it
 * is.
 */
export function eventfulChanges(change: PlatformChange): EventfulChange[] {
  if (!isEventful(change)) return []
  if (change.type === 'tag_added' || change.type === 'tag_removed') {
    return change.artifact.state === 'COMMITTED' ? [change] : []
  }
  if (change.type !== 'artifact_committed') return [change]
  const { artifact, at, user, cause } = change
  const tags = [...artifact.tags].map((tag) => {
    return { type: 'tag_added' as const, artifact, tag, at, user, cause }
  })
  return [change, ...tags]
}

function isEventful(change: PlatformChange): change is EventfulChange {
  return EVENTFUL.some((type) => type === change.type)
}

import type { Version } from '../../service/platform/artifact.js'
import type { Run } from '../../service/platform/run.js'
import { valueAt } from '../../base/text/value-at.js'
import { rowOf } from '../../service/platform/run-row.js'
import { readMetadata } from '../../service/engine/checkpoint-artifacts.js'
import type { PlatformEvent } from '../../service/engine/engine-events.js'
import type { EventfulChange } from '../../service/engine/platform-events.js'
import type { EventType } from '../../service/scenario/scenario.js'
import { LOGGED, versionName, type EventContext, type WebhookEvent } from './event.js'

interface PlatformEventContext extends EventContext {
  /** The metrics that automations watch. */
  readonly metrics: ReadonlySet<string>
}

/** Returns the events of runs and artifacts of clients that automations may watch, in order. */
export function platformEventsOf(
  { change }: PlatformEvent,
  context: PlatformEventContext,
): WebhookEvent[] {
  switch (change.type) {
    case 'run_created':
    case 'run_state_changed': {
      const { run } = change
      // The service never fires for these.
      if (run.state === 'killed') return []
      return [runEvent('RUN_STATE', change, { run, state: run.state })]
    }
    case 'metrics_logged':
      if (context.metrics.size === 0) return []
      return change.lines.flatMap((line) => metricEvents(change, line, context))
    case 'artifact_committed':
      return [
        versionEvent('CREATE_ARTIFACT', change, { version: change.artifact.version, context }),
      ]
    case 'alias_added': {
      const { membership: version, alias } = change
      return [versionEvent('ADD_ARTIFACT_ALIAS', change, { version, alias, context })]
    }
    case 'tag_added':
      return tagEvents('ADD_ARTIFACT_TAG', change, context)
    case 'tag_removed':
      return tagEvents('REMOVE_ARTIFACT_TAG', change, context)
    case 'collection_tag_added':
      return [collectionEvent('ADD_COLLECTION_TAG', change)]
    case 'collection_tag_removed':
      return [collectionEvent('REMOVE_COLLECTION_TAG', change)]
    case 'artifact_linked':
      return [versionEvent('LINK_ARTIFACT', change, { version: change.membership, context })]
    case 'artifact_unlinked':
      return [versionEvent('UNLINK_ARTIFACT', change, { version: change.membership, context })]
  }
}

type ChangeOf<Type extends string> = Extract<EventfulChange, { type: Type }>

interface RunDetails {
  run: Run
  state?: Run['state']
  metrics?: Readonly<Record<string, number>>
}

function runEvent(
  type: EventType,
  { at, cause, user: author }: EventfulChange,
  { run, state, metrics }: RunDetails,
): WebhookEvent {
  const { id: key, name: id, displayName: name, user, entity, project } = run
  return {
    type,
    key: [`${LOGGED}${key}`, state ?? ''].join(' '),
    at,
    cause,
    author,
    entity,
    project: project.name,
    run: { id, name, state, metrics, user, key },
  }
}

/** A metric that a client logs as part of an object has a dot in its name: `train.loss`. */
function metricEvents(
  change: ChangeOf<'metrics_logged'>,
  line: string,
  { metrics: watched }: PlatformEventContext,
): WebhookEvent[] {
  const { run } = change
  const row = rowOf(line) ?? {}
  const found = [...watched].flatMap((name): [string, number][] => {
    const value = Object.hasOwn(row, name) ? row[name] : valueAt(row, name.split('.'))
    return typeof value === 'number' ? [[name, value]] : []
  })
  if (found.length === 0) return []
  const metrics = Object.fromEntries(found)
  return [
    runEvent('RUN_METRIC', change, { run, metrics }),
    runEvent('RUN_METRIC_CHANGE', change, { run, metrics }),
    runEvent('RUN_METRIC_ZSCORE', change, { run, metrics }),
  ]
}

/** A tag belongs to the version, so automations of each registry that has it see the tag, too. */
function tagEvents(
  type: EventType,
  change: ChangeOf<'tag_added' | 'tag_removed'>,
  context: PlatformEventContext,
): WebhookEvent[] {
  const { artifact, tag } = change
  return artifact.memberships.map((version) => {
    const event = versionEvent(type, change, { version, tag, context })
    return event.registry === undefined ? event : { ...event, onlyInRegistry: true }
  })
}

/** A collection with a tag is no version, so the variables of versions are empty. */
function collectionEvent(
  type: EventType,
  { at, cause, user: author, collection, tag }: ChangeOf<`collection_tag_${string}`>,
): WebhookEvent {
  const { entity, name, project, kind, path } = collection
  return {
    type,
    key: [path, tag].join(' '),
    at,
    cause,
    author,
    entity,
    project: project.name,
    registry: kind === 'linked' ? project.name : undefined,
    tag,
    artifact: { collection: name, version: '', versionString: '', metadata: {} },
  }
}

interface VersionDetails {
  version: Version | undefined
  alias?: string
  tag?: string
  context: PlatformEventContext
}

function versionEvent(
  type: EventType,
  { at, cause, user: author }: EventfulChange,
  { version, alias, tag, context }: VersionDetails,
): WebhookEvent {
  const { artifact, collection, index } = version!
  const { entity, name, project, kind, path: place } = collection
  return {
    type,
    // All but a new version can happen again. What happens again is counted for the collection.
    key: type === 'CREATE_ARTIFACT' ? artifact.id : [place, alias ?? tag ?? ''].join(' '),
    at,
    cause,
    author,
    entity,
    project: artifact.source.project.name,
    registry: kind === 'linked' ? project.name : undefined,
    alias,
    tag,
    artifact: {
      collection: name,
      version: versionName(artifact.id, context),
      versionString: `${place}:${alias ?? `v${index}`}`,
      metadata: readMetadata(artifact),
    },
  }
}

import type { CheckpointArtifacts } from '../../service/engine/checkpoint-artifacts.js'
import type { Checkpoint } from '../../service/engine/jobs/checkpoints.js'
import { LOCAL_ACCOUNT } from '../../service/scenario/account.js'
import type { JobEventType, ModelEvent, RegistryPlace } from '../../service/engine/engine-events.js'
import type { RunState } from '../../service/scenario/run-states.js'
import type { EventType } from '../../service/scenario/scenario.js'

/** An event that automations may watch, with everything that a payload may contain. */
export interface WebhookEvent {
  /** The type, as in the payload's `event_type`. */
  readonly type: EventType
  /** Unique to the event. The ids of its deliveries are drawn from it. */
  readonly key: string
  /** When it happened, in milliseconds since the epoch, on the world's clock. */
  readonly at: number
  /** The id of the journal entry that led to it. */
  readonly cause?: number | undefined
  /** The id of the job that it is about. Undefined if it is about none. */
  readonly jobId?: string | undefined
  /** The user who caused it. */
  readonly author: string
  /** The team. */
  readonly entity: string
  /** The project of the run or the artifact. */
  readonly project: string
  /** The registry, if it happened in one. */
  readonly registry?: string | undefined
  /** Whether only automations of the registry see it. The others see the same event without a registry. */
  readonly onlyInRegistry?: boolean | undefined
  /** The alias that was added, if one was. */
  readonly alias?: string | undefined
  /** The tag that was added or removed, if one was. */
  readonly tag?: string | undefined
  /** The version of the artifact, for events of artifacts. For those of collections, the collection alone. */
  readonly artifact?: ArtifactFacts | undefined
  /** The run, for events of runs. */
  readonly run?: RunFacts | undefined
  /** The metric that an automation watches for. */
  readonly metric?: { readonly name: string; readonly value: number } | undefined
}

/** The types of events that happen at most once to the same job or version. */
const ONCE: readonly EventType[] = [
  'CREATE_ARTIFACT',
  'RUN_METRIC',
  'RUN_METRIC_CHANGE',
  'RUN_METRIC_ZSCORE',
  'RUN_STATE',
]

/** What the keys of triggered events begin with. No two of them have the same key. */
export const TRIGGERED = 'triggered '

/** What the key of an alias ends with that a new version gets anyway, but that was added to it later. */
const AGAIN = 'again'
/** The aliases of a new version. */
const OF_NEW_VERSION = /^(?:latest|step\d+)$/
const KEY_OF_NEW_VERSION = /^\S+ (?:latest|step\d+) $/

/** What the keys of events of runs begin with that clients log. Such a run can be in the same state again. */
export const LOGGED = 'logged '

/**
 * Whether an event never happens again with the same key. Only a version can get the same alias or tag, or be
 * linked to the same place, more than once, and a run that a client logs can go on.
 */
export function happensOnce({ type, key }: Pick<WebhookEvent, 'type' | 'key'>): boolean {
  if (key.startsWith(LOGGED)) return false
  if (ONCE.includes(type) || key.startsWith(TRIGGERED)) return true
  return type === 'ADD_ARTIFACT_ALIAS' && KEY_OF_NEW_VERSION.test(key)
}

export interface ArtifactFacts {
  readonly collection: string
  /** `artifact://_id/…`. It is the same for all aliases. */
  readonly version: string
  /** `entity/project/collection:alias`, or `:v3` without an alias. */
  readonly versionString: string
  /** Its top-level metadata. */
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface RunFacts {
  readonly id: string
  /** The name of its model. For a run that a client logs, the name that its client shows. */
  readonly name: string
  readonly state?: RunState | undefined
  /** The metrics of a gradient step. Of a run that a client logs, only those that automations watch. */
  readonly metrics?: Readonly<Record<string, unknown>> | undefined
  /** The user who created it. Default: the author of the event. */
  readonly user?: string | undefined
  /** By what automations remember it, if its id is unique only in its project. */
  readonly key?: string | undefined
}

/** What events are made with. */
export interface EventContext {
  /** The scheme of artifact names. */
  readonly scheme: string
  readonly checkpointArtifacts: Pick<CheckpointArtifacts, 'versionOf'>
}

/** Returns the events of a model that automations may watch, in order. */
export function modelEventsOf(engineEvent: ModelEvent, context: EventContext): WebhookEvent[] {
  switch (engineEvent.type) {
    case 'training_started':
      return [stateEvent(engineEvent, 'running')]
    case 'training_ended':
      return [stateEvent(engineEvent, 'finished')]
    case 'training_failed':
      return [stateEvent(engineEvent, 'failed')]
    case 'gradient_step':
      return metricEvents(engineEvent)
    case 'checkpoint_added':
      return versionEvents(engineEvent, context)
    case 'alias_added': {
      const { alias, linked } = engineEvent
      const added = artifactEvent('ADD_ARTIFACT_ALIAS', engineEvent, { context, alias, linked })
      const isOther = linked !== undefined || !OF_NEW_VERSION.test(alias)
      return [isOther ? added : { ...added, key: added.key + AGAIN }]
    }
    case 'tag_added':
      return tagEvents(engineEvent, context)
    case 'artifact_linked':
      return [artifactEvent('LINK_ARTIFACT', engineEvent, { context, linked: engineEvent.linked })]
    case 'model_created':
    case 'training_queued':
    case 'chat_answered':
      return []
  }
}

type JobEvent = Extract<ModelEvent, { type: JobEventType }>
type CheckpointEvent = Extract<ModelEvent, { checkpoint: Checkpoint }>

function stateEvent(engineEvent: JobEvent, state: RunState): WebhookEvent {
  const { job } = engineEvent
  return { ...runEvent(engineEvent, { state }), type: 'RUN_STATE', key: `${job.id} ${state}` }
}

function metricEvents(engineEvent: JobEvent): WebhookEvent[] {
  const { job } = engineEvent
  const key = `${job.id} ${job.progress.gradientSteps}`
  const facts = runEvent(engineEvent, {
    metrics: job.script.metrics.at(job.progress.gradientSteps),
  })
  return [
    { ...facts, type: 'RUN_METRIC', key },
    { ...facts, type: 'RUN_METRIC_CHANGE', key },
    { ...facts, type: 'RUN_METRIC_ZSCORE', key },
  ]
}

function runEvent({ at, cause, job, model }: JobEvent, more: Partial<RunFacts>) {
  const { entity, project, name, run_id } = model.record
  const run = { id: run_id, name, ...more }
  return { at, cause, jobId: job.id, author: job.author, entity, project, run }
}

/** A new model's untrained adapter causes no event, because no job made it. */
function versionEvents(
  engineEvent: Extract<ModelEvent, { type: 'checkpoint_added' }>,
  context: EventContext,
): WebhookEvent[] {
  const { checkpoint } = engineEvent
  if (checkpoint.step === 0) return []
  const created = artifactEvent('CREATE_ARTIFACT', engineEvent, { context })
  const named = ['latest', `step${checkpoint.step}`].map((alias) => {
    return artifactEvent('ADD_ARTIFACT_ALIAS', engineEvent, { context, alias })
  })
  return [created, ...named]
}

/** A tag belongs to the version, so automations of each registry that has it see the tag, too. */
function tagEvents(
  engineEvent: Extract<ModelEvent, { type: 'tag_added' }>,
  context: EventContext,
): WebhookEvent[] {
  const { model, checkpoint, tag } = engineEvent
  const places = context.checkpointArtifacts.versionOf(model, checkpoint).linked
  const inRegistries = places.map((linked) => {
    const event = artifactEvent('ADD_ARTIFACT_TAG', engineEvent, { context, tag, linked })
    return { ...event, onlyInRegistry: true }
  })
  return [artifactEvent('ADD_ARTIFACT_TAG', engineEvent, { context, tag }), ...inRegistries]
}

interface ArtifactDetails {
  context: EventContext
  alias?: string
  tag?: string
  linked?: RegistryPlace | undefined
}

function artifactEvent(
  type: EventType,
  engineEvent: CheckpointEvent,
  details: ArtifactDetails,
): WebhookEvent {
  const { at, cause, model, checkpoint } = engineEvent
  const { context, alias, tag, linked } = details
  const { entity, project, name } = model.record
  const collection = linked?.collection ?? name
  const place = `${entity}/${linked?.registry ?? project}/${collection}`
  const { id, index, metadata } = context.checkpointArtifacts.versionOf(model, checkpoint, linked)
  const job = 'job' in engineEvent ? engineEvent.job : undefined
  return {
    type,
    key: [checkpoint.id, alias ?? tag ?? '', linked ? place : ''].join(' '),
    at,
    cause,
    jobId: job?.id,
    author: job?.author ?? LOCAL_ACCOUNT.user,
    entity,
    project,
    registry: linked?.registry,
    alias,
    tag,
    artifact: {
      collection,
      version: versionName(id, context),
      versionString: `${place}:${alias ?? `v${index}`}`,
      metadata,
    },
  }
}

/** Returns `artifact://_id/…`. It is the same for all aliases of a version. */
export function versionName(id: string, { scheme }: Pick<EventContext, 'scheme'>): string {
  return `${scheme}://_id/${id}`
}

/** An event in a few words: `RUN_STATE failed`. */
export function formatEvent({ type, alias, tag, run, metric }: WebhookEvent): string {
  const detail = alias ?? tag ?? metric?.name ?? run?.state
  return detail === undefined ? type : `${type} ${detail}`
}

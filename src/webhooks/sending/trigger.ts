import { eventTypes, factsOf, isOfRun, type EventFact } from '../../service/scenario/event-types.js'
import {
  anyNumber,
  aText,
  aVersion,
  checkArgument,
  jsonObject,
  oneOf,
  Options,
  Place,
  recordOf,
} from '../../base/text/options.js'
import { LOCAL_ACCOUNT } from '../../service/scenario/account.js'
import { didYouMean } from '../../base/text/nearest.js'
import type { EventType } from '../../service/scenario/scenario.js'
import { artifactIdOf } from '../../service/engine/checkpoint-artifacts.js'
import { RUN_STATES, type RunState } from '../../service/scenario/run-states.js'
import { TRIGGERED, versionName, type WebhookEvent } from './event.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** The facts of an event that is triggered by hand. Each has a default. One that the event does not have is refused. */
export interface TriggerFacts {
  /** The team. Default: `local-team`. */
  entity?: string | undefined
  /** The project. Default: `my-project`. */
  project?: string | undefined
  /** The registry in which it happens. Default: none. */
  registry?: string | undefined
  /** The collection of the artifact. Default: `my-model`. */
  collection?: string | undefined
  /** The version of the artifact. Default: 1. */
  version?: number | undefined
  /** The alias of the version. Default: none. */
  alias?: string | undefined
  /** The tag of the version. Default: none. */
  tag?: string | undefined
  /** The user who made the change. Default: the user of the local account. */
  author?: string | undefined
  /** The metadata of the artifact. Default: empty. */
  metadata?: Readonly<Record<string, unknown>> | undefined
  /** The name of the run. Default: `my-model`. */
  run?: string | undefined
  /** The state of the run. Default: `finished`. */
  state?: RunState | undefined
  /** Metrics of the run, by name, for metric events. */
  metrics?: Readonly<Record<string, number>> | undefined
}

export const triggerFacts = new Options<TriggerFacts & { to?: string }>('trigger', {
  entity: aText,
  project: aText,
  registry: aText,
  collection: aText,
  version: aVersion,
  alias: aText,
  tag: aText,
  author: aText,
  metadata: jsonObject,
  run: aText,
  state: oneOf(...RUN_STATES),
  metrics: recordOf(anyNumber),
  to: aText,
})

/** Thrown by `trigger` for an event that does not exist. Code `SVTRAIN_UNKNOWN_EVENT`. */
export class UnknownEventError extends EmulatorError {
  override readonly name = 'UnknownEventError'
  readonly code = 'SVTRAIN_UNKNOWN_EVENT'
  constructor(written: string) {
    const hint = didYouMean(written.toUpperCase(), eventTypes, (type) => type)
    super(
      `Failed to trigger "${written}": no such event.${hint} There are: ${eventTypes.join(', ')}.`,
    )
  }
}

/**
 * @throws {UnknownEventError} When there is no such event.
 * @throws {OptionsError} When it is not a text.
 */
export function assertEventType(written: string): asserts written is EventType {
  checkArgument('trigger', { name: 'type', value: written, kind: aText })
  if (!eventTypes.some((type) => type === written)) throw new UnknownEventError(written)
}

/** @throws {OptionsError} When a fact can't be used, or when the event does not have it. */
export function checkFacts(type: EventType, named: TriggerFacts & { to?: string }): void {
  triggerFacts.check(named)
  const known = factsOf(type)
  for (const [fact, value] of Object.entries(named)) {
    if (value === undefined || fact === 'to' || known.includes(fact as EventFact)) continue
    const place = new Place(triggerFacts.of, fact)
    place.refuse(`is no fact of ${type}; leave it out. It has: ${known.join(', ')}.`)
  }
}

/** What a triggered event is about, besides its facts. It does not change the ids of deliveries. */
export interface TriggerOrigin {
  /** The id of the job that it is about. */
  readonly jobId?: string | undefined
  /** The id of the journal entry that led to it, or what writes that entry once nothing refuses the event. */
  readonly cause?: number | (() => number) | undefined
}

interface Context extends Pick<TriggerOrigin, 'jobId'> {
  /** The id of the journal entry that led to it. */
  cause: number | undefined
  at: number
  scheme: string
  /** How often the same event was triggered before. */
  before: number
}

/** Makes an event from facts. Its key contains them, so that the same calls lead to the same ids. */
export function triggeredEvent(
  type: EventType,
  facts: TriggerFacts,
  { at, scheme, before, jobId, cause }: Context,
): WebhookEvent {
  const { entity = LOCAL_ACCOUNT.entity, project = 'my-project', registry, alias, tag } = facts
  const event = {
    type,
    key: `${TRIGGERED}${JSON.stringify(facts)} ${before}`,
    at,
    jobId,
    cause,
    author: facts.author ?? LOCAL_ACCOUNT.user,
    entity,
    project,
  }
  if (isOfRun(type)) {
    const { run: name = 'my-model', state = 'finished', metrics } = facts
    const run = { id: `triggered-${name}`, name, state, metrics }
    return { ...event, run }
  }
  const { collection = 'my-model', version = 1, metadata = {} } = facts
  if (type.endsWith('_COLLECTION_TAG')) {
    const artifact = { collection, version: '', versionString: '', metadata: {} }
    return { ...event, registry, tag, artifact }
  }
  const place = `${entity}/${registry ?? project}/${collection}`
  const artifact = {
    collection,
    version: versionName(artifactIdOf(`${place} ${version}`), { scheme }),
    versionString: `${place}:${alias ?? `v${version}`}`,
    metadata,
  }
  return { ...event, registry, alias, tag, artifact }
}

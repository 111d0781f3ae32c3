import { anyObject, kindOf, oneOf, Options, aText } from '../text/options.js'
import { LOCAL_ACCOUNT } from '../scenario/account.js'
import { nearest } from '../text/nearest.js'
import type { EventType } from '../scenario/scenario.js'
import { versionId, type RunState, type WebhookEvent } from './event.js'
import { EmulatorError } from '../text/emulator-error.js'

/** What is told of an event that is made by hand; all of it has defaults. */
export interface TriggerFacts {
  entity?: string | undefined
  project?: string | undefined
  /** It happens in this registry. */
  registry?: string | undefined
  /** Of an artifact. Default: `my-model`. */
  collection?: string | undefined
  /** The artifact's version. Default: 1. */
  version?: number | undefined
  alias?: string | undefined
  tag?: string | undefined
  /** Whose change it is. */
  author?: string | undefined
  metadata?: Readonly<Record<string, unknown>> | undefined
  /** The run's name. Default: `my-model`. */
  run?: string | undefined
  /** Default: `finished`. */
  state?: RunState | undefined
  /** Figures of the run, for its metric events. */
  metrics?: Readonly<Record<string, number>> | undefined
}

export const triggerFacts = new Options<TriggerFacts & { to?: string }>('trigger', {
  entity: aText,
  project: aText,
  registry: aText,
  collection: aText,
  version: kindOf('a whole number', Number.isInteger),
  alias: aText,
  tag: aText,
  author: aText,
  metadata: anyObject,
  run: aText,
  state: oneOf('running', 'finished', 'failed'),
  metrics: anyObject,
  to: aText,
})

export const eventTypes = [
  'CREATE_ARTIFACT',
  'LINK_ARTIFACT',
  'ADD_ARTIFACT_ALIAS',
  'ADD_ARTIFACT_TAG',
  'RUN_METRIC',
  'RUN_METRIC_CHANGE',
  'RUN_STATE',
] as const satisfies readonly EventType[]

/** Raised by `trigger` for an event that does not exist. Code `SVTRAIN_UNKNOWN_EVENT`. */
export class UnknownEventError extends EmulatorError {
  override readonly name = 'UnknownEventError'
  readonly code = 'SVTRAIN_UNKNOWN_EVENT'
  constructor(written: string) {
    const meant = nearest(written.toUpperCase(), eventTypes)
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
    super(
      `Failed to trigger "${written}": no such event.${hint} There are: ${eventTypes.join(', ')}.`,
    )
  }
}

/** Raises `UnknownEventError`. */
export function assertEventType(written: string): asserts written is EventType {
  if (!eventTypes.some((type) => type === written)) throw new UnknownEventError(written)
}

interface Context {
  at: number
  scheme: string
  /** How often the same was triggered before. */
  before: number
}

/** An event made by hand. Its key is what it says, so the same calls make the same ids. */
export function triggeredEvent(
  type: EventType,
  facts: TriggerFacts,
  { at, scheme, before }: Context,
): WebhookEvent {
  const { entity = LOCAL_ACCOUNT.entity, project = 'my-project', registry, alias, tag } = facts
  const event = {
    type,
    key: `triggered ${JSON.stringify(facts)} ${before}`,
    at,
    author: facts.author ?? LOCAL_ACCOUNT.user,
    entity,
    project,
  }
  if (type.startsWith('RUN_')) {
    const { run: name = 'my-model', state = 'finished', metrics } = facts
    const run = { id: `triggered-${name}`, name, state, metrics }
    return { ...event, run }
  }
  const { collection = 'my-model', version = 1, metadata = {} } = facts
  const place = `${entity}/${registry ?? project}/${collection}`
  const artifact = {
    collection,
    version: versionId(`${place} ${version}`, { scheme }),
    versionString: `${place}:${alias ?? `v${version}`}`,
    metadata,
  }
  return { ...event, registry, alias, tag, artifact }
}

import { firstOf } from '../../../base/text/counted.js'
import { parseJson } from '../../../base/text/json-text.js'
import { AUTOMATION_ACTIONS } from '../../../base/text/vendor/platform-names.js'
import { filterOf } from '../../engine/automation-filter.js'
import type {
  MadeAction,
  MadeAutomation,
  MadeFacts,
  MadeScope,
} from '../../engine/automation-store.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import { isOfRun } from '../../scenario/event-types.js'
import {
  idOf,
  StatusError,
  type Input,
  type Mutations,
  type PlatformCall,
  type View,
} from './call.js'
import { automationView, scopeOf, webhooksOf } from './automation-views.js'
import { checkFilter } from './filter.js'
import { addWebhook, type WebhookFields } from './webhook-mutation.js'

type Maybe<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null }
type ActionInput = MadeAction['input']

interface TriggerFields {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly scopeType: MadeScope['type']
  readonly scopeID: string
  readonly triggeringEventType: string
  readonly eventFilter: string
  readonly triggeredActionType: MadeAction['type']
  readonly triggeredActionConfig: Maybe<Record<string, ActionInput>>
}

/** The fields of `Mutation` that make, change and delete automations and their webhooks. */
export function automationMutations(call: PlatformCall): Mutations {
  const { automations } = call
  const show = (made: MadeAutomation): View => ({ trigger: automationView(made, call) })
  return {
    createFilterTrigger: ({ input }: Input<Maybe<TriggerFields>>) =>
      show(make(factsIn(input, call), undefined, call)),
    updateFilterTrigger: ({ input }: Input<Maybe<TriggerFields> & { readonly id: string }>) => {
      const before = automationWithId(input.id, call)
      return show(make(factsIn(input, call, before), before, call))
    },
    deleteTrigger: ({ input }: Input<{ readonly triggerID: string }>) => ({
      success: automations.remove(automationWithId(input.triggerID, call).name),
    }),
    createGenericWebhookIntegration: ({ input }: Input<WebhookFields>) => ({
      integration: addWebhook(input, call),
    }),
  }
}

function automationWithId(id: string, call: PlatformCall): MadeAutomation {
  const found = [...call.automations.made].find((each) => each.id === id)
  if (found && call.sees(found.scope.entity)) return found
  throw new StatusError('not-found', `There is no automation with the id ${quoted(id)}.`)
}

/** Clients tell what is wrong by the status. */
function make(
  facts: MadeFacts,
  before: MadeAutomation | undefined,
  { automations }: PlatformCall,
): MadeAutomation {
  try {
    checkFilter(filterOf(facts))
    return automations.make(facts, before)
  } catch (error) {
    throw error instanceof PlatformError ? new StatusError(error.problem, error.message) : error
  }
}

const LONGEST_NAME = 255

/** What an automation is to be. What a client leaves out of a change stays. */
function factsIn(
  input: Maybe<TriggerFields>,
  call: PlatformCall,
  before?: MadeAutomation,
): MadeFacts {
  const { triggeredActionType: action, triggeredActionConfig: config } = input
  const name = input.name ?? before?.name ?? ''
  if (name.trim() === '' || name.length > LONGEST_NAME) {
    throw new StatusError(
      'invalid',
      `The name of the automation is ${quoted(name)}; expected 1 to ${LONGEST_NAME} characters.`,
    )
  }
  const scope = watchedIn(input, call, before)
  return {
    name,
    description: input.description ?? before?.description,
    enabled: input.enabled ?? before?.enabled ?? true,
    scope,
    event: eventIn(input.triggeringEventType ?? before!.event, scope),
    filter: filterIn(input.eventFilter) ?? before!.filter,
    action:
      action || config
        ? actionIn(action ?? before!.action.type, config ?? {}, scope, call)
        : before!.action,
  }
}

function eventIn(event: string, { type }: MadeScope): string {
  if (type !== 'ARTIFACT_COLLECTION' || !isOfRun(event)) return event
  throw new StatusError(
    'invalid',
    `${event} cannot be watched in a collection, which has no runs. Watch a project, a team or an organization.`,
  )
}

function filterIn(filter: string | null | undefined): string | undefined {
  if (filter === null || filter === undefined) return undefined
  const value = parseJson(filter)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return filter
  throw new StatusError(
    'invalid',
    `The eventFilter is ${quoted(filter)}; expected a JSON object as text, such as {"$or":[{"$and":[]}]}.`,
  )
}

/** What an automation is to watch. What it watched may be gone, and stays. */
function watchedIn(
  { scopeType: type, scopeID: id }: Maybe<TriggerFields>,
  call: PlatformCall,
  before: MadeAutomation | undefined,
): MadeScope {
  if (!type && typeof id !== 'string') return before!.scope
  return scopeIn({ type: type ?? before!.scope.type, id: id ?? before!.scope.id }, call)
}

function scopeIn({ type, id }: Pick<MadeScope, 'type' | 'id'>, call: PlatformCall): MadeScope {
  const found = scopeOf({ type, id }, call)
  if (found && call.sees(found.entity)) return { type, id, entity: found.entity }
  throw new StatusError('not-found', `There is no ${type} with the id ${quoted(id)} to watch.`)
}

function actionIn(
  type: MadeAction['type'],
  config: TriggerFields['triggeredActionConfig'],
  { entity }: MadeScope,
  call: PlatformCall,
): MadeAction {
  const { input: key } = AUTOMATION_ACTIONS[type]
  const given = config[key]
  if (!given) {
    throw new StatusError('invalid', `An action of the type ${type} needs ${key}.`)
  }
  // The library makes objects without a prototype.
  const input = { ...given }
  if (type !== 'GENERIC_WEBHOOK') return { type, input }
  const webhooks = webhooksOf(entity, call)
  const webhook = webhooks.find(({ name }) => {
    return idOf('GenericWebhookIntegration', name) === input['integrationID']
  })
  if (webhook) return { type, webhook: webhook.name, input }
  const known = firstOf(
    webhooks.map(({ name }) => name),
    10,
  )
  throw new StatusError(
    'not-found',
    `There is no webhook integration with the id ${quoted(String(input['integrationID']))}. The webhooks of ${quoted(entity)} are: ${known || 'none'}.`,
  )
}

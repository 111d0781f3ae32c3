import {
  AUTOMATION_ACTIONS,
  CHANNEL_INTEGRATION,
} from '../../../base/text/vendor/platform-names.js'
import type { MadeAutomation } from '../../engine/automation-store.js'
import type { ArtifactCollection } from '../../platform/artifact.js'
import type { Project } from '../../platform/project.js'
import { isOfRun } from '../../scenario/event-types.js'
import type { WebhookRule } from '../../scenario/scenario.js'
import { formatMoment, idOf, organizationEntityId, type PlatformCall, type View } from './call.js'
import { connection, nodesOf, type ListArguments, type PageArguments } from './connection.js'
import { fieldNamed, selected } from './filter.js'

/** What an automation may watch, and what it is called in its view. */
type ScopeView = { readonly entity: string; readonly view: () => View } | undefined

/** The webhooks that the programs of an entity see. One that names no entity belongs to all. */
export function webhooksOf(entity: string, { automations }: PlatformCall): WebhookRule[] {
  const { webhooks } = automations.parts
  return webhooks.filter((each) => each.entity === undefined || each.entity === entity)
}

/** The integrations of an entity: its webhooks, and a channel of a chat program to which nothing is sent. */
export function integrationPage(entity: string, page: PageArguments, call: PlatformCall): View {
  const views = [...webhooksOf(entity, call).map(webhookView), channelView(entity)]
  return connection(views, page, (node) => ({ node }))
}

export function webhookView({ name, url = '' }: WebhookRule): View {
  return {
    __typename: 'GenericWebhookIntegration',
    id: idOf('GenericWebhookIntegration', name),
    name,
    urlEndpoint: url,
  }
}

function channelView(entity: string): View {
  return {
    __typename: CHANNEL_INTEGRATION,
    id: idOf(CHANNEL_INTEGRATION, entity),
    teamName: entity,
    channelName: 'automations',
  }
}

/** A page of the automations of an entity. */
export function automationPage(entity: string, wanted: ListArguments, call: PlatformCall): View {
  const found = selected(automationsOf(entity, call), wanted, automationValue, call.reading)
  return nodesOf(found, wanted, (made) => automationView(made, call))
}

/** The automations of a project and of its collections. */
export function automationsOfProject({ id, entity, name }: Project, call: PlatformCall): View[] {
  const isOf = ({ scope }: MadeAutomation): boolean => {
    if (scope.type === 'PROJECT') return scope.id === id
    const project = scope.type === 'ENTITY' ? undefined : collectionIn(scope.id, call)?.project
    return project?.entity === entity && project.name === name
  }
  return automationsOf(entity, call)
    .filter(isOf)
    .map((made) => automationView(made, call))
}

/** Those whose scope is there. That of a deleted collection watches nothing any more. */
function automationsOf(entity: string, call: PlatformCall): MadeAutomation[] {
  return [...call.automations.made].filter((made) => {
    return made.scope.entity === entity && scopeOf(made.scope, call) !== undefined
  })
}

function automationValue(made: MadeAutomation, path: string): unknown {
  const field = fieldNamed(path)
  switch (field) {
    case 'name':
    case 'id':
    case 'description':
    case 'enabled':
      return made[field]
    case 'createdAt':
      return new Date(made.createdAt)
    case 'updatedAt':
      return new Date(made.updatedAt ?? made.createdAt)
    default:
      return undefined
  }
}

function collectionIn(id: string, { platform }: PlatformCall): ArtifactCollection | undefined {
  return platform.artifacts.collectionWithId(id)
}

/** What a scope names. Undefined: there is none. */
export function scopeOf(
  { type, id }: Pick<MadeAutomation['scope'], 'type' | 'id'>,
  call: PlatformCall,
): ScopeView {
  const { platform, views, account } = call
  if (type === 'ENTITY') {
    const names = new Set([
      account.entity,
      ...[...platform.projects.all()].map((each) => each.entity),
    ])
    for (const entity of names) {
      if (idOf('Entity', entity) === id) return { entity, view: () => views.entity(entity) }
      if (organizationEntityId(entity) === id) {
        return { entity, view: () => views.organizationEntity(entity) }
      }
    }
    return undefined
  }
  if (type === 'PROJECT') {
    const project = platform.projects.byId.get(id)
    return project && { entity: project.entity, view: () => views.project(project) }
  }
  const collection = collectionIn(id, call)
  return collection && { entity: collection.entity, view: () => views.collection(collection) }
}

/** An automation as programs read it back. */
export function automationView(made: MadeAutomation, call: PlatformCall): View {
  const { id, name, description = null, enabled, createdAt, updatedAt, event, filter } = made
  return {
    __typename: 'Trigger',
    id,
    name,
    description,
    enabled,
    createdAt: formatMoment(createdAt),
    updatedAt: updatedAt === undefined ? null : formatMoment(updatedAt),
    scope: () => scopeOf(made.scope, call)?.view(),
    triggeringCondition: {
      __typename: 'FilterEventTriggeringCondition',
      eventType: event,
      filter: isOfRun(event) ? filter : JSON.stringify({ filter }),
    },
    triggeredAction: () => actionView(made, call),
  }
}

function actionView({ action, scope }: MadeAutomation, { automations }: PlatformCall): View {
  const { type, input, webhook } = action
  const rule = automations.parts.webhooks.find(({ name }) => name === webhook)
  const { queueID: queue } = input
  return {
    __typename: AUTOMATION_ACTIONS[type].view,
    ...input,
    integration: rule ? webhookView(rule) : channelView(scope.entity),
    queue: typeof queue === 'string' ? { id: queue, name: queue } : null,
  }
}

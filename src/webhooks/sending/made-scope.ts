import { valueAt } from '../../base/text/value-at.js'
import type { MadeScope } from '../../service/engine/automation-store.js'
import type { Platform } from '../../service/platform/platform.js'
import type { AutomationRule } from '../../service/scenario/scenario.js'
import type { WebhookEvent } from './event.js'

/** What a filter reads of an event, by the names that clients use. */
export function filteredValue({ run, author, alias, tag }: WebhookEvent, path: string): unknown {
  const user = run?.user ?? author
  const shown = { display_name: run?.name, displayName: run?.name, username: user, user }
  return valueAt({ alias, tag, name: run?.id, state: run?.state, ...shown }, [path])
}

type ScopePlaces = Pick<Platform, 'projects' | 'artifacts'>

/** Whether an event happened where an automation of a program watches. Names may change, so they are read each time. */
export function isInScope(scope: MadeScope, event: WebhookEvent, places: ScopePlaces): boolean {
  if (scope.type === 'ENTITY') return event.entity === scope.entity && !event.onlyInRegistry
  const place = scopePlace(scope, places)
  if (!place || place.entity !== event.entity) return false
  if (place.project !== (event.registry ?? event.project)) return false
  return place.collection === undefined || place.collection === event.artifact?.collection
}

/** The scope of an automation of a program in the form of a scenario, for people. */
export function shownScope(scope: MadeScope, places: ScopePlaces): AutomationRule['scope'] {
  return scopePlace(scope, places) ?? { entity: scope.entity }
}

function scopePlace(
  { type, id }: MadeScope,
  { projects, artifacts }: ScopePlaces,
): { entity: string; project: string; collection?: string } | undefined {
  if (type === 'PROJECT') {
    const found = projects.byId.get(id)
    return found && { entity: found.entity, project: found.name }
  }
  const found = type === 'ENTITY' ? undefined : artifacts.collectionWithId(id)
  return found && { entity: found.entity, project: found.project.name, collection: found.name }
}

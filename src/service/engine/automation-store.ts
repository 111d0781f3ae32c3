import type { AUTOMATION_ACTIONS } from '../../base/text/vendor/platform-names.js'
import type { WebhookParts } from '../scenario/scenario.js'

/** The kinds of what an automation may watch. A registry is a project, and an organization is an entity. */
export const SCOPE_TYPES = ['ARTIFACT_COLLECTION', 'PROJECT', 'ENTITY'] as const

/** Where an automation of a program watches. What is created there later is watched, too. */
export interface MadeScope {
  readonly type: (typeof SCOPE_TYPES)[number]
  /** The id of the collection, the project or the entity. */
  readonly id: string
  readonly entity: string
}

/** What an automation of a program does. */
export interface MadeAction {
  readonly type: keyof typeof AUTOMATION_ACTIONS
  /** The webhook that it calls, if it calls one. */
  readonly webhook?: string | undefined
  /** What the client said about it, as it reads it back. */
  readonly input: Readonly<Record<string, unknown>>
}

/** What a program says about an automation. */
export interface MadeFacts {
  readonly name: string
  readonly description?: string | undefined
  readonly enabled: boolean
  readonly scope: MadeScope
  /** The event, as its client names it: `LINK_MODEL`. */
  readonly event: string
  /** The conditions, as the client sent them: JSON. */
  readonly filter: string
  readonly action: MadeAction
}

/** An automation that a program made. Those of a scenario have names in place of ids. */
export interface MadeAutomation extends MadeFacts {
  readonly id: string
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly createdAt: number
  readonly updatedAt?: number | undefined
}

/** The webhooks and automations of a world, as programs see and change them. */
export interface AutomationStore {
  readonly parts: WebhookParts
  readonly made: Iterable<MadeAutomation>
  /** Adds parts that were checked. */
  add(parts: WebhookParts): void
  /**
   * Makes an automation, or changes one.
   *
   * @throws {PlatformError} When its conditions are not valid, or another one has its name. Nothing changes.
   */
  make(facts: MadeFacts, before?: MadeAutomation): MadeAutomation
  /** Removes an automation, or a webhook with its automations. Returns false if there is none. */
  remove(name: string): boolean
}

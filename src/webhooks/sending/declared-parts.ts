import { didYouMean } from '../../base/text/nearest.js'
import { secretsInUrl } from '../../base/text/redaction/credentials.js'
import { filterOf } from '../../service/engine/automation-filter.js'
import type {
  AutomationStore,
  MadeAction,
  MadeAutomation,
  MadeFacts,
} from '../../service/engine/automation-store.js'
import type { Engine } from '../../service/engine/engine.js'
import { PlatformError, quoted } from '../../service/platform/platform-error.js'
import { secretNames } from '../../service/scenario/missing-secrets.js'
import { MOST_NAMED } from '../../service/scenario/most-named.js'
import { templateParts, type TemplatePart } from '../../service/scenario/payload-template.js'
import type { WebhookParts, WebhookRule } from '../../service/scenario/scenario.js'
import { Automation } from './automation.js'
import type { Expressions } from './expressions.js'
import type { LiveWebhook } from './live-webhook.js'
import { eventOf, ruleOf } from './made-rule.js'
import { isInScope, shownScope } from './made-scope.js'
import type { Credentials } from './payload.js'
import type { SavedWebhooks } from './saved-webhooks.js'
import type { ChangedParts } from './saved-webhooks-schema.js'

interface LiveAutomation {
  readonly live: Automation
  readonly template: readonly TemplatePart[]
  /** What a program wants to happen, if it is no webhook: nothing is sent then. */
  readonly unsent: MadeAction['type'] | undefined
}

interface DeclaredPartsOptions {
  engine: Engine
  expressions: Expressions
  saved: SavedWebhooks
  /** Called when automations need expressions that may not be loaded. Only those of programs have filters. */
  expressionsNeeded: (needed: { withFilters: boolean }) => void
  /** Called when a webhook was removed. */
  webhookGone: (name: string) => void
}

/**
 * The secrets, webhooks and automations of one world: those of its scenario, with the changes of tests and programs.
 * What changes is noted to be saved.
 */
export class DeclaredParts implements AutomationStore {
  readonly secrets = new Map<string, string>()
  readonly webhooks = new Map<string, LiveWebhook>()
  readonly automations = new Map<string, LiveAutomation>()
  /** The automations that programs made, also those of events that never happen here. */
  readonly #made = new Map<string, MadeAutomation>()
  readonly #world: DeclaredPartsOptions

  constructor(world: DeclaredPartsOptions) {
    this.#world = world
    this.#put(world.engine.scenario)
  }

  /** Adds parts, or replaces those of the same names. */
  add(parts: WebhookParts): void {
    this.#put(parts)
    this.#world.saved.added(parts)
    for (const { name } of parts.webhooks) this.#world.saved.webhook(this.webhooks.get(name)!)
    this.#noteUnused(parts.secrets)
  }

  /** A secret may come before its webhook, so one without effect is no error. */
  #noteUnused(secrets: WebhookParts['secrets']): void {
    const used = secretNames(this.parts.webhooks)
    const unused = Object.keys(secrets).filter((name) => !used.includes(name))
    if (used.length === 0) return
    for (const name of unused) {
      const why = `no webhook signs with it; webhooks use ${used.join(', ')}`
      this.#world.engine.journal.note(`secret ${name}: ${why}.${didYouMean(name, used)}`)
    }
  }

  #put({ secrets, webhooks, automations }: WebhookParts): void {
    for (const [name, value] of Object.entries(secrets)) this.secrets.set(name, value)
    for (const rule of webhooks) this.webhooks.set(rule.name, { rule, count: 0 })
    for (const rule of automations) this.#watch(new Automation(rule, this.#world.expressions))
    this.#keepSecrets()
    if (this.#world.expressions.needs(automations))
      this.#world.expressionsNeeded({ withFilters: this.#made.size > 0 })
  }

  #watch(live: Automation, action?: MadeAction): void {
    const { name, payload } = live.rule
    const known = this.automations.get(name)
    if (known) this.#world.saved.automationGone(known.live)
    this.#made.delete(name)
    const unsent = action && action.webhook === undefined ? action.type : undefined
    this.automations.set(name, { live, template: templateParts(payload), unsent })
  }

  #keepSecrets(): void {
    const inUrls = [...this.webhooks.values()].flatMap(({ rule: { url } }) => {
      return url === undefined ? [] : secretsInUrl(url)
    })
    this.#world.engine.journal.redactor.keep('webhooks', [...this.secrets.values(), ...inUrls])
  }

  get made(): Iterable<MadeAutomation> {
    return this.#made.values()
  }

  make(facts: MadeFacts, before?: MadeAutomation): MadeAutomation {
    const { name } = facts
    const isTaken = this.#made.has(name) || this.automations.has(name)
    if (isTaken && name !== before?.name) {
      throw new PlatformError('conflict', `There is an automation ${quoted(name)} already.`)
    }
    // Each event is compared with all of them.
    if (!before && this.#made.size >= MOST_NAMED) {
      throw new PlatformError('limit', `There are ${MOST_NAMED} automations already. Delete some.`)
    }
    const at = this.#world.engine.clock.now()
    const made: MadeAutomation = before
      ? { ...facts, id: before.id, createdAt: before.createdAt, updatedAt: at }
      : { ...facts, id: this.#newId(name), createdAt: at }
    const live = this.#liveOf(made)
    if (before) this.#forgetAutomation(before.name)
    this.#putMade(made, live)
    this.#world.saved.made(this.made)
    if (!live) {
      this.#world.engine.journal.note(
        `automation ${name} never fires: ${made.event} does not happen here`,
      )
    }
    return made
  }

  #newId(name: string): string {
    const { random, clock } = this.#world.engine
    const known = new Set([...this.made].map(({ id }) => id))
    for (let times = 0; ; times++) {
      const id = btoa(`Trigger:${random.token(12, 'automation', name, clock.now(), times)}`)
      if (!known.has(id)) return id
    }
  }

  /** Undefined: its event never happens here. */
  #liveOf(made: MadeAutomation): Automation | undefined {
    const event = eventOf(made.event)
    if (!event) return undefined
    const { scope } = made
    const places = this.#world.engine.clientPlatform
    const filter = filterOf(made)
    return new Automation(
      ruleOf(made, event, shownScope(scope, places)),
      this.#world.expressions,
      (happened) =>
        isInScope(scope, happened, places) && this.#world.expressions.finds(filter, happened),
    )
  }

  #putMade(made: MadeAutomation, live = this.#liveOf(made)): void {
    if (live) this.#watch(live, made.action)
    this.#made.set(made.name, made)
    if (!this.#world.expressions.hasFilters)
      this.#world.expressionsNeeded({ withFilters: this.#made.size > 0 })
  }

  /** The current parts, in the form of a scenario. */
  get parts(): WebhookParts {
    return {
      secrets: Object.fromEntries(this.secrets),
      webhooks: [...this.webhooks.values()].map(({ rule }) => rule),
      automations: [...this.automations.values()].map(({ live }) => live.rule),
    }
  }

  /** The same without what programs made, whose scopes and actions no scenario can have. */
  get written(): WebhookParts {
    const { automations, ...parts } = this.parts
    return { ...parts, automations: automations.filter(({ name }) => !this.#made.has(name)) }
  }

  /** Enables a webhook that answered 410. */
  enable(webhook: LiveWebhook): void {
    webhook.disabled = undefined
    this.#world.saved.webhook(webhook)
  }

  /** Removes an automation, or a webhook with its automations. Returns false if there is none. */
  remove(name: string): boolean {
    const found = this.#remove(name)
    if (found) this.#world.saved.removed(found, name)
    return found !== undefined
  }

  /** Removes a secret. Returns false if there is none. */
  removeSecret(name: string): boolean {
    const found = this.secrets.delete(name)
    if (found) this.#world.saved.secretRemoved(name)
    return found
  }

  /** Returns what had the name. An automation goes before a webhook. */
  #remove(name: string): 'automation' | 'webhook' | undefined {
    if (this.#forgetAutomation(name)) return 'automation'
    for (const [key, { live, unsent }] of this.automations) {
      if (unsent === undefined && live.rule.webhook === name) this.#forgetAutomation(key)
    }
    for (const { name: key, action } of this.made) {
      if (action.webhook === name) this.#forgetAutomation(key)
    }
    if (!this.webhooks.delete(name)) return undefined
    this.#world.webhookGone(name)
    return 'webhook'
  }

  /** Removes an automation with what it remembers. Returns false if there is none. */
  #forgetAutomation(name: string): boolean {
    const known = this.automations.get(name)
    if (known) this.#world.saved.automationGone(known.live)
    const wasMade = this.#made.delete(name)
    return this.automations.delete(name) || wasMade
  }

  credentialsOf({ access_token, secret }: WebhookRule): Credentials {
    const named = (name: string | undefined) => {
      return name === undefined ? undefined : this.secrets.get(name)
    }
    return { accessToken: named(access_token), secret: named(secret) }
  }

  /** Repeats the changes of a saved world. */
  restore({ added, removed, removedSecrets = [], made = [] }: ChangedParts): void {
    for (const each of removed) this.#remove(each)
    for (const each of removedSecrets) this.secrets.delete(each)
    this.#put(added)
    for (const each of made) this.#putMade(each)
    this.#world.saved.restoreParts({ added, removed, removedSecrets, made })
  }
}

import type { MadeAutomation } from '../../service/engine/automation-store.js'
import type { Engine } from '../../service/engine/engine.js'
import type { WebhookParts } from '../../service/scenario/scenario.js'
import { shownWebhook } from '../../service/scenario/shown.js'
import type { WorldRecord } from '../../service/engine/saved/records.js'
import { SECRET, type SavedPart } from '../../service/engine/saved/saved-part.js'
import { whole, type AllFields, type Complete } from '../../service/engine/saved/complete.js'
import type { Automation } from './automation.js'
import type { Delivery } from './delivery.js'
import type { WebhookEvent } from './event.js'
import { saveDelivery } from './saved-delivery.js'
import { partsOfKey } from './saved-key.js'
import type { ChangedParts, SavedPieces, SavedWebhook } from './saved-webhooks-schema.js'
import type { LiveWebhook } from './live-webhook.js'

export type PieceKind = keyof SavedPieces

/** Stands between the names of a key. */
export const SEPARATOR = '\u001f'

/** Reads an entry when it is saved. Null: it is gone. */
export type ReadEntry = () => Complete<SavedPieces[PieceKind]> | null | undefined

type SavedPiece = Extract<WorldRecord, { kind: 'outgoing' }>

interface WebhooksWorld {
  readonly webhooks: {
    readonly saved: Iterable<[key: string, read: ReadEntry]>
    readonly moments: Iterable<[key: string, read: ReadEntry]>
  }
}

/** What is saved of the webhooks. `Webhooks` restores it, because it outlives the engine. */
export const savedWebhooks: SavedPart<SavedPiece, ReadEntry, WebhooksWorld> = {
  kind: 'outgoing',
  all: ({ webhooks }) => webhooks.saved,
  moved: ({ webhooks }) => webhooks.moments,
  content: (read) => ({ kept: read() }),
  isGone: ({ kept }) => kept === null,
  mayBeSecret: SECRET.mayBeSecret,
  redact(record) {
    // Payloads and answers may hold a secret.
    if (partsOfKey(record.key).kind === 'delivery') return undefined
    if (record.key !== 'parts') return record
    const { added, ...rest } = record.kept as ChangedParts
    const webhooks = added.webhooks.map(shownWebhook)
    return { ...record, kept: { ...rest, added: { ...added, secrets: {}, webhooks } } }
  },
}

/** Notes what is saved of the webhooks with their world, each entry under its own key. */
export class SavedWebhooks {
  readonly #changes: Engine['changes']
  readonly #ofScenario: WebhookParts['automations']
  readonly #fired = new Map<string, number>()
  #changed: Required<ChangedParts> = {
    added: { secrets: {}, webhooks: [], automations: [] },
    removed: [],
    removedSecrets: [],
    made: [],
  }

  constructor({ changes, scenario }: Engine) {
    this.#changes = changes
    this.#ofScenario = scenario.automations
  }

  /** Counts this firing, and returns how often the same fired before. */
  timesFired(about: string): number {
    const times = this.#fired.get(about) ?? 0
    this.#fired.set(about, times + 1)
    this.#changes.changed(savedWebhooks, `fired ${about}`, () => this.#fired.get(about))
    return times
  }

  restoreFired(about: string, times: number): void {
    this.#fired.set(about, times)
  }

  added({ secrets, webhooks, automations }: WebhookParts): void {
    const { added } = this.#changed
    Object.assign(added.secrets, secrets)
    this.#changed.removedSecrets = this.#changed.removedSecrets.filter((name) => {
      return !Object.hasOwn(secrets, name)
    })
    added.webhooks = replaced(added.webhooks, webhooks)
    added.automations = replaced(added.automations, automations)
    this.#changed.made = this.#changed.made.filter(({ name }) => {
      return !automations.some((each) => each.name === name)
    })
    this.#partsChanged()
  }

  removed(kind: 'automation' | 'webhook', name: string): void {
    const { added, removed, made } = this.#changed
    if (kind === 'webhook') {
      added.webhooks = added.webhooks.filter((each) => each.name !== name)
      added.automations = added.automations.filter((each) => each.webhook !== name)
      this.#changed.made = made.filter((each) => each.action.webhook !== name)
      removed.push(name)
    } else {
      added.automations = added.automations.filter((each) => each.name !== name)
      this.#changed.made = made.filter((each) => each.name !== name)
      // A restore repeats it with the scenario alone, where a webhook may have the name.
      if (this.#ofScenario.some((each) => each.name === name)) removed.push(name)
    }
    this.#partsChanged()
  }

  /** Notes all automations that programs made. */
  made(made: Iterable<MadeAutomation>): void {
    this.#changed.made = [...made]
    this.#partsChanged()
  }

  restoreParts(changed: Required<ChangedParts>): void {
    this.#changed = structuredClone(changed)
  }

  secretRemoved(name: string): void {
    delete this.#changed.added.secrets[name]
    this.#changed.removedSecrets.push(name)
    this.#partsChanged()
  }

  delivery(delivery: Delivery): void {
    this.#changes.changed(savedWebhooks, `delivery ${delivery.id}`, () => saveDelivery(delivery))
  }

  forgotten({ id }: Delivery): void {
    this.#changes.changed(savedWebhooks, `delivery ${id}`, () => null)
  }

  webhook(webhook: LiveWebhook): void {
    const memory = memoryOf(webhook)
    this.#changes.changed(savedWebhooks, `webhook ${webhook.rule.name}`, () => memory)
  }

  automation(live: Automation, run: string): void {
    const memory = live.memoryOf(run)
    if (memory) this.#changes.changed(savedWebhooks, automationKey(live, run), () => memory)
  }

  /** Drops what an automation remembered: it was removed, or another one took its name. */
  automationGone(live: Automation): void {
    for (const run of live.runs)
      this.#changes.changed(savedWebhooks, automationKey(live, run), () => null)
  }

  /** Everything, by keys; each value is read when it is saved. */
  *all({ webhooks, automations, deliveries }: Live): Iterable<[string, ReadEntry]> {
    yield ['parts', () => whole(this.#changed)]
    for (const [about, times] of this.#fired) yield [`fired ${about}`, () => times]
    for (const webhook of webhooks) {
      yield [`webhook ${webhook.rule.name}`, () => memoryOf(webhook)]
    }
    yield* this.moments({ automations, deliveries }, () => true)
  }

  /** What has moments that are still to come, or that automations compare with. */
  *moments(
    { automations, deliveries }: Omit<Live, 'webhooks'>,
    selects = ({ toDo }: Delivery): boolean => toDo.size > 0,
  ): Iterable<[string, ReadEntry]> {
    for (const live of automations) {
      for (const run of live.runs) yield [automationKey(live, run), () => live.memoryOf(run)]
    }
    for (const delivery of deliveries) {
      if (selects(delivery)) yield [`delivery ${delivery.id}`, () => saveDelivery(delivery)]
    }
  }

  #partsChanged(): void {
    this.#changes.changed(savedWebhooks, 'parts', () => whole(this.#changed))
  }
}

interface Live {
  webhooks: Iterable<LiveWebhook>
  automations: Iterable<Automation>
  deliveries: Iterable<Delivery>
}

function memoryOf({ disabled, count }: LiveWebhook): AllFields<SavedWebhook> {
  return { disabled, count }
}

function automationKey({ rule }: Automation, run: string): string {
  return `automation ${rule.name}${SEPARATOR}${run}`
}

/** Replaces those with the name of a newer one; other newer ones are added at the end. */
export function replaced<T extends { name: string }>(all: readonly T[], newer: readonly T[]): T[] {
  return [...new Map([...all, ...newer].map((each) => [each.name, each])).values()]
}

/** What is counted when an automation fires: the same automation about the same event. */
export function aboutOf(automation: string, { type, key }: WebhookEvent): string {
  return [automation, type, key].join(SEPARATOR)
}

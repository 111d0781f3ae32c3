import type { Engine } from '../engine/engine.js'
import type { WebhookParts } from '../scenario/scenario.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import type { LiveAutomation } from './automation.js'
import type { LiveWebhook } from './sender.js'
import type { Delivery } from './delivery.js'
import { keptDelivery } from './kept-delivery.js'

/** What was changed about the scenario's parts, in code or by the control API. */
export interface ChangedParts {
  added: WebhookParts
  removed: string[]
  removedSecrets?: string[]
}

/** What a webhook remembers. */
export type WebhookMemory = Pick<LiveWebhook, 'disabled' | 'count'>

const SEPARATOR = '\u001f'

/** Notes what of webhooks is to be kept with their world, each piece under a key of its own. */
export class OutboxMemory {
  readonly #changes: Engine['changes']
  readonly #fired = new Map<string, number>()
  #changed: Required<ChangedParts> = {
    added: { secrets: {}, webhooks: [], automations: [] },
    removed: [],
    removedSecrets: [],
  }

  constructor({ changes }: Engine) {
    this.#changes = changes
  }

  /** How often this had fired before, which counts it. */
  timesFired(about: string): number {
    const times = this.#fired.get(about) ?? 0
    this.#fired.set(about, times + 1)
    this.#changes.outgoing(`fired ${about}`, () => this.#fired.get(about))
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
    this.#partsChanged()
  }

  removed(name: string): void {
    const { added, removed } = this.#changed
    added.webhooks = added.webhooks.filter((each) => each.name !== name)
    added.automations = added.automations.filter((each) => {
      return each.name !== name && each.webhook !== name
    })
    removed.push(name)
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
    this.#changes.outgoing(`delivery ${delivery.id}`, () => keptDelivery(delivery))
  }

  forgotten({ id }: Delivery): void {
    this.#changes.outgoing(`delivery ${id}`, () => null)
  }

  webhook({ rule, ...memory }: LiveWebhook): void {
    this.#changes.outgoing(`webhook ${rule.name}`, () => memory satisfies WebhookMemory)
  }

  automation(live: LiveAutomation, run: string): void {
    const memory = live.memoryOf(run)
    if (memory) this.#changes.outgoing(automationKey(live, run), () => memory)
  }

  /** What an automation remembered is gone: it was removed, or another one took its name. */
  automationGone(live: LiveAutomation): void {
    for (const run of live.runs) this.#changes.outgoing(automationKey(live, run), () => null)
  }

  /** All of it, to be read when it is written down. */
  *all({ webhooks, automations, deliveries }: Live): Iterable<[string, () => unknown]> {
    yield ['parts', () => this.#changed]
    for (const [about, times] of this.#fired) yield [`fired ${about}`, () => times]
    for (const { rule, disabled, count } of webhooks) {
      yield [`webhook ${rule.name}`, () => ({ disabled, count })]
    }
    for (const live of automations) {
      for (const run of live.runs) yield [automationKey(live, run), () => live.memoryOf(run)]
    }
    for (const delivery of deliveries) {
      yield [`delivery ${delivery.id}`, () => keptDelivery(delivery)]
    }
  }

  #partsChanged(): void {
    this.#changes.outgoing('parts', () => this.#changed)
  }
}

interface Live {
  webhooks: Iterable<LiveWebhook>
  automations: Iterable<LiveAutomation>
  deliveries: Iterable<Delivery>
}

function automationKey({ rule }: LiveAutomation, run: string): string {
  return `automation ${rule.name}${SEPARATOR}${run}`
}

/** Each of `newer` stands in the place of the one of its name, or else at the end. */
function replaced<T extends { name: string }>(all: readonly T[], newer: readonly T[]): T[] {
  return [...new Map([...all, ...newer].map((each) => [each.name, each])).values()]
}

/** Webhooks, automations and secrets of a world that was kept, as its scenario and later changes have them. */
export function partsIn(saved: SavedWorld): WebhookParts {
  const { secrets, webhooks, automations } = saved.scenario
  const changed = piecesOf(saved).find(({ what }) => what === 'parts')?.kept as
    ChangedParts | undefined
  if (!changed) return { secrets, webhooks, automations }
  const { added, removed, removedSecrets = [] } = changed
  const kept = Object.entries(secrets).filter(([name]) => !removedSecrets.includes(name))
  const isLeft = (name: string): boolean => !removed.includes(name)
  return {
    secrets: { ...Object.fromEntries(kept), ...added.secrets },
    webhooks: replaced(
      webhooks.filter(({ name }) => isLeft(name)),
      added.webhooks,
    ),
    automations: replaced(
      automations.filter(({ name, webhook }) => isLeft(name) && isLeft(webhook)),
      added.automations,
    ),
  }
}

/** One kept piece: what it is, whose, and itself. */
export interface KeptPiece {
  what: string
  /** Of an automation's memory, its name and the run. */
  names: [name: string, run: string]
  kept: unknown
}

/** The pieces in the order in which they depend on each other. */
export function piecesOf({ records }: SavedWorld): KeptPiece[] {
  const pieces = records.flatMap((record): KeptPiece[] => {
    if (record.kind !== 'outgoing') return []
    const { key, kept } = record
    const space = `${key} `.indexOf(' ')
    const what = key.slice(0, space)
    const rest = key.slice(space + 1)
    const [name = '', run = ''] = what === 'automation' ? rest.split(SEPARATOR) : [rest]
    return [{ what, names: [name, run], kept }]
  })
  return pieces.sort((one, other) => ORDER.indexOf(one.what) - ORDER.indexOf(other.what))
}

const ORDER = ['parts', 'triggered', 'fired', 'webhook', 'automation', 'delivery']

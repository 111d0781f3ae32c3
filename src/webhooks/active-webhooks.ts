import type { Engine } from '../engine/engine.js'
import type { WebhookRule, WebhookParts } from '../scenario/scenario.js'
import { templateParts, type TemplatePart } from '../scenario/payload-template.js'
import { planFor } from './adversary.js'
import { LiveAutomation, type RunMemory } from './automation.js'
import { Courier, type LiveWebhook } from './sender.js'
import { Delivery, type ToDo } from './delivery.js'
import { Schedule } from './schedule.js'
import { eventsOf, type WebhookEvent } from './event.js'
import { Expressions } from './expressions.js'
import { deliveryFrom, type KeptDelivery } from './kept-delivery.js'
import {
  OutboxMemory,
  type ChangedParts,
  type KeptPiece,
  type WebhookMemory,
} from './saved-webhooks.js'
import { payloadBytes, type Credentials } from './payload.js'
import type { Send } from './send.js'

/** So many deliveries are remembered. */
const CAPACITY = 20_000

/**
 * The webhooks and automations of one world: hears what happens, and makes deliveries of it. Lives as
 * long as the world does, or until it follows another scenario.
 */
export class Outbox {
  readonly secrets = new Map<string, string>()
  readonly webhooks = new Map<string, LiveWebhook>()
  readonly deliveries: Map<string, Delivery>
  readonly courier: Courier
  readonly #engine: Engine
  readonly #automations = new Map<string, { live: LiveAutomation; template: TemplatePart[] }>()
  readonly #expressions = new Expressions()
  readonly #schedule: Schedule
  readonly #memory: OutboxMemory
  readonly #unsubscribe: () => void
  /** What happened before the expressions could be used. */
  #unheard: { event: WebhookEvent; made: (deliveries: Delivery[]) => void }[] = []
  #loading: Promise<void> | undefined

  /** `deliveries` are those made so far; further ones are put there. */
  constructor({ engine, send, redact, deliveries }: Made) {
    this.#engine = engine
    this.deliveries = deliveries
    this.#memory = new OutboxMemory(engine)
    this.courier = new Courier({
      engine,
      send,
      credentialsOf: (webhook) => this.credentialsOf(webhook),
      secretNamed: (name) => this.secrets.get(name),
      redact,
      changed: (delivery, webhook) => {
        this.#memory.delivery(delivery)
        this.#memory.webhook(webhook)
      },
    })
    this.#schedule = new Schedule(this.courier, engine.clock)
    this.#put(engine.scenario)
    this.#unsubscribe = engine.happenings.subscribe((happening) => {
      if (this.#automations.size === 0) return
      const naming = { scheme: engine.scenario.artifactScheme }
      if (happening.event === 'gradient_step' && !this.#watchesMetrics()) return
      for (const event of eventsOf(happening, naming)) void this.hear(event)
    })
  }

  /** How much is on its way. */
  get inFlight(): number {
    return this.courier.inFlight + this.#unheard.length
  }

  async idle(): Promise<void> {
    while (this.inFlight > 0) {
      await this.#loading
      await this.courier.idle()
    }
  }

  /** Beside what the scenario has. */
  add(parts: WebhookParts): void {
    this.#put(parts)
    this.#memory.added(parts)
    for (const { name } of parts.webhooks) this.#memory.webhook(this.webhooks.get(name)!)
  }

  #put({ secrets, webhooks, automations }: WebhookParts): void {
    for (const [name, value] of Object.entries(secrets)) this.secrets.set(name, value)
    for (const rule of webhooks) this.webhooks.set(rule.name, { rule, count: 0 })
    for (const rule of automations) {
      const known = this.#automations.get(rule.name)
      if (known) this.#memory.automationGone(known.live)
      const live = new LiveAutomation(rule, this.#expressions)
      this.#automations.set(rule.name, { live, template: templateParts(rule.payload) })
    }
    if (!this.#expressions.needs(automations)) return
    this.#loading = this.#expressions.load().then(() => {
      this.#loading = undefined
      const heard = this.#unheard
      this.#unheard = []
      for (const { event, made } of heard) made(this.#fire(event))
    })
  }

  /** What the outbox follows now, as a scenario would have it. */
  get parts(): WebhookParts {
    return {
      secrets: Object.fromEntries(this.secrets),
      webhooks: [...this.webhooks.values()].map(({ rule }) => rule),
      automations: [...this.#automations.values()].map(({ live }) => live.rule),
    }
  }

  /** All that is to be kept of it. */
  get kept(): Iterable<[key: string, read: () => unknown]> {
    const automations = [...this.#automations.values()].map(({ live }) => live)
    const deliveries = this.deliveries.values()
    return this.#memory.all({ webhooks: this.webhooks.values(), automations, deliveries })
  }

  /** Sends to a webhook again that has answered 410. */
  enable(webhook: LiveWebhook): void {
    webhook.disabled = undefined
    this.#memory.webhook(webhook)
  }

  /** Goes on with what was kept; its moments are so many milliseconds later now. */
  restore({ what, names: [name, run], kept }: KeptPiece, later: number): void {
    if (what === 'parts') {
      const { added, removed, removedSecrets = [] } = kept as ChangedParts
      for (const each of removed) this.#remove(each)
      for (const each of removedSecrets) this.secrets.delete(each)
      this.#put(added)
      this.#memory.restoreParts({ added, removed, removedSecrets })
    } else if (what === 'fired') this.#memory.restoreFired(name, kept as number)
    else if (what === 'webhook') Object.assign(this.webhooks.get(name) ?? {}, kept as WebhookMemory)
    else if (what === 'automation') {
      const { values, firedAt } = kept as RunMemory
      const moved = { values, firedAt: firedAt === undefined ? undefined : firedAt + later }
      this.#automations.get(name)?.live.restore(run, moved)
    } else this.#restoreDelivery(deliveryFrom(name, kept as KeptDelivery), { kept, later })
  }

  #restoreDelivery(delivery: Delivery, { kept, later }: { kept: unknown; later: number }): void {
    this.deliveries.set(delivery.id, delivery)
    const webhook = this.webhooks.get(delivery.webhook)
    if (!this.#engine.goesOn || !webhook) {
      if (delivery.status === 'pending') delivery.status = 'cancelled'
      return
    }
    const toDo = (kept as KeptDelivery).toDo.map((each): ToDo => {
      return each.at === undefined ? each : { ...each, at: each.at + later }
    })
    this.#schedule.goOn(delivery, webhook, toDo)
  }

  /** Removes an automation, or a webhook with its automations. False where there is none. */
  remove(name: string): boolean {
    const found = this.#remove(name)
    if (found) this.#memory.removed(name)
    return found
  }

  /** Takes a secret away. False where there is none. */
  removeSecret(name: string): boolean {
    const found = this.secrets.delete(name)
    if (found) this.#memory.secretRemoved(name)
    return found
  }

  #remove(name: string): boolean {
    if (this.#forgetAutomation(name)) return true
    for (const [key, { live }] of this.#automations) {
      if (live.rule.webhook === name) this.#forgetAutomation(key)
    }
    if (!this.webhooks.delete(name)) return false
    this.#schedule.forget(name)
    for (const delivery of this.courier.cancelLater(name)) this.#memory.delivery(delivery)
    return true
  }

  /** Takes away an automation with what it remembers. False where there is none. */
  #forgetAutomation(name: string): boolean {
    const known = this.#automations.get(name)
    if (known) this.#memory.automationGone(known.live)
    return this.#automations.delete(name)
  }

  /** Makes what deliveries there are to make of an event; resolves to them when they are queued. */
  hear(event: WebhookEvent): Promise<Delivery[]> {
    if (!this.#loading) return Promise.resolve(this.#fire(event))
    return new Promise((made) => this.#unheard.push({ event, made }))
  }

  /** Makes the delivery of an event to a webhook, as an automation would that has this payload. */
  deliver(event: WebhookEvent, { name, webhook, template }: Rendered): Delivery[] {
    const { rule } = webhook
    webhook.count++
    this.#memory.webhook(webhook)
    const plan = planFor(rule.adversary, webhook.count)
    const body = payloadBytes(template, {
      event,
      webhook: rule,
      credentials: this.credentialsOf(rule),
    })
    return Array.from({ length: plan.copies }, () => {
      const delivery = new Delivery({
        id: this.#idFor(name, event),
        automation: name,
        webhook: rule.name,
        url: rule.url!,
        event,
        body,
        tampering: plan.tampering,
        ordinal: webhook.count,
      })
      this.#remember(delivery)
      this.#schedule.plan(delivery, webhook, plan)
      return delivery
    })
  }

  credentialsOf({ access_token, secret }: WebhookRule): Credentials {
    const named = (name: string | undefined) => {
      return name === undefined ? undefined : this.secrets.get(name)
    }
    return { accessToken: named(access_token), secret: named(secret) }
  }

  stop(): void {
    this.#unsubscribe()
    for (const { made } of this.#unheard) made([])
    this.#unheard = []
    this.courier.stop()
    for (const delivery of this.deliveries.values()) {
      if (delivery.status !== 'pending') continue
      delivery.status = 'cancelled'
      delivery.toDo.clear()
      this.#memory.delivery(delivery)
    }
  }

  #fire(event: WebhookEvent): Delivery[] {
    return [...this.#automations.values()].flatMap(({ live, template }) => {
      const told = live.fires(event)
      if (event.run) this.#memory.automation(live, event.run.id)
      const webhook = this.webhooks.get(live.rule.webhook)
      if (!told || webhook?.rule.url === undefined) return []
      return this.deliver(told, { name: live.rule.name, webhook, template })
    })
  }

  /** Drawn by what the delivery is about; the same again, as of an alias that comes back, is another. */
  #idFor(automation: string, { type, key }: WebhookEvent): string {
    const about = `${automation}\u001f${type}\u001f${key}`
    return this.#engine.chance.uuid('delivery', about, this.#memory.timesFired(about))
  }

  #remember(delivery: Delivery): void {
    this.deliveries.set(delivery.id, delivery)
    this.#memory.delivery(delivery)
    if (this.deliveries.size <= CAPACITY) return
    const [oldest] = this.deliveries.values()
    this.deliveries.delete(oldest!.id)
    this.#memory.forgotten(oldest!)
  }

  #watchesMetrics(): boolean {
    for (const { live } of this.#automations.values()) if ('metric' in live.rule) return true
    return false
  }
}

interface Made {
  engine: Engine
  send: Send
  /** Removes secrets from a text. */
  redact: (text: string) => string
  deliveries: Map<string, Delivery>
}

interface Rendered {
  /** The automation's. */
  name: string
  webhook: LiveWebhook
  template: readonly TemplatePart[]
}

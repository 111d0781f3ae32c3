import type { Engine } from '../engine/engine.js'
import type { Scenario, WebhookRule } from '../engine/scenario.js'
import { templateParts, type TemplatePart } from '../engine/payload-template.js'
import type { Appointment } from '../world/agenda.js'
import { planFor, type Plan } from './adversary.js'
import { LiveAutomation } from './automations.js'
import { Courier, type LiveWebhook } from './courier.js'
import { Delivery } from './delivery.js'
import { eventsOf, type WebhookEvent } from './event.js'
import { Expressions } from './expressions.js'
import { payloadBytes, type Credentials } from './payload.js'
import type { Send } from './send.js'

type Parts = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>

/** A delivery that waits for another one of its webhook. */
interface Held {
  readonly delivery: Delivery
  readonly until: 'next' | 'newer'
  readonly release: () => void
  /** When it goes in any case. */
  latest?: Appointment
}

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
  readonly #held = new Map<string, Held[]>()
  readonly #timesFired = new Map<string, number>()
  readonly #unsubscribe: () => void
  /** What happened before the expressions could be used. */
  #unheard: { event: WebhookEvent; made: (deliveries: Delivery[]) => void }[] = []
  #loading: Promise<void> | undefined

  /** `deliveries` are those made so far; further ones are put there. */
  constructor({ engine, send, deliveries }: Made) {
    this.#engine = engine
    this.deliveries = deliveries
    this.courier = new Courier({
      engine,
      send,
      credentialsOf: (webhook) => this.credentialsOf(webhook),
      secretNamed: (name) => this.secrets.get(name),
    })
    this.add(engine.scenario)
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

  add({ secrets, webhooks, automations }: Parts): void {
    for (const [name, value] of Object.entries(secrets)) this.secrets.set(name, value)
    for (const rule of webhooks) this.webhooks.set(rule.name, { rule, count: 0 })
    for (const rule of automations) {
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
  get parts(): Parts {
    return {
      secrets: Object.fromEntries(this.secrets),
      webhooks: [...this.webhooks.values()].map(({ rule }) => rule),
      automations: [...this.#automations.values()].map(({ live }) => live.rule),
    }
  }

  /** Removes an automation, or a webhook with its automations. False where there is none. */
  remove(name: string): boolean {
    if (this.#automations.delete(name)) return true
    for (const [key, { live }] of this.#automations) {
      if (live.rule.webhook === name) this.#automations.delete(key)
    }
    return this.webhooks.delete(name)
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
      this.#plan(delivery, webhook, plan)
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
      if (delivery.status === 'pending') delivery.status = 'cancelled'
    }
  }

  #fire(event: WebhookEvent): Delivery[] {
    return [...this.#automations.values()].flatMap(({ live, template }) => {
      const told = live.fires(event)
      const webhook = this.webhooks.get(live.rule.webhook)
      if (!told || webhook?.rule.url === undefined) return []
      return this.deliver(told, { name: live.rule.name, webhook, template })
    })
  }

  /** Drawn by what the delivery is about; the same again, as of an alias that comes back, is another. */
  #idFor(automation: string, { type, key }: WebhookEvent): string {
    const about = `${automation}\u001f${type}\u001f${key}`
    const times = this.#timesFired.get(about) ?? 0
    this.#timesFired.set(about, times + 1)
    return this.#engine.chance.uuid('delivery', about, times)
  }

  #remember(delivery: Delivery): void {
    this.deliveries.set(delivery.id, delivery)
    if (this.deliveries.size <= CAPACITY) return
    const [oldest] = this.deliveries.keys()
    this.deliveries.delete(oldest!)
  }

  #plan(delivery: Delivery, webhook: LiveWebhook, { times, delay, held }: Plan): void {
    const go = (): void => {
      for (let time = 1; time <= times; time++) this.courier.take(delivery, webhook)
    }
    const now = this.#engine.clock.now()
    const waiting = this.#held.get(webhook.rule.name) ?? []
    const freed = waiting.filter(
      (each) => each.until === 'next' || isNewer(delivery, each.delivery),
    )
    if (held) this.#hold(delivery, { ...held, now, go })
    else if (delay > 0) this.courier.later(now + delay, delivery, go)
    else go()
    for (const { release } of freed) release()
  }

  #hold(delivery: Delivery, { until, within, now, go }: Holding): void {
    const { webhook } = delivery
    const waiting = this.#held.get(webhook) ?? []
    this.#held.set(webhook, waiting)
    const held: Held = {
      delivery,
      until,
      release: () => {
        waiting.splice(waiting.indexOf(held), 1)
        this.courier.cancel(held.latest)
        go()
      },
    }
    waiting.push(held)
    held.latest = this.courier.later(now + within, delivery, held.release)
  }

  #watchesMetrics(): boolean {
    for (const { live } of this.#automations.values()) if ('metric' in live.rule) return true
    return false
  }
}

interface Made {
  engine: Engine
  send: Send
  deliveries: Map<string, Delivery>
}

interface Rendered {
  /** The automation's. */
  name: string
  webhook: LiveWebhook
  template: readonly TemplatePart[]
}

interface Holding {
  until: 'next' | 'newer'
  within: number
  now: number
  go: () => void
}

/** Whether one tells of a later state of what the other is about. */
function isNewer({ event }: Delivery, { event: older }: Delivery): boolean {
  if (event.type !== older.type) return false
  if (event.run || older.run) return event.run?.id === older.run?.id
  return event.artifact?.collection === older.artifact?.collection
}

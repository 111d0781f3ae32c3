import type { Redact } from '../../base/text/redaction/redact.js'
import { warnOfIdleWebhooks } from './idle-webhooks.js'
import type { Engine } from '../../service/engine/engine.js'
import type { TemplatePart } from '../../service/scenario/payload-template.js'
import { planFor } from './adversary.js'
import type { EngineEvent } from '../../service/engine/engine-events.js'
import { type Automation, ITSELF, memoryKeyOf } from './automation.js'
import { Expressions } from './expressions.js'
import { DelayedEvents } from './delayed-events.js'
import type { Deliveries } from './deliveries.js'
import { DeclaredParts } from './declared-parts.js'
import { Delivery } from './delivery.js'
import { happensOnce, modelEventsOf, type WebhookEvent } from './event.js'
import { payloadBytes, withoutLargeMetadata } from './payload.js'
import { platformEventsOf } from './platform-event.js'
import type { SavedEntry } from './restored-webhooks.js'
import { aboutOf, SavedWebhooks, type ReadEntry } from './saved-webhooks.js'
import { restoreDelivery } from './saved-delivery.js'
import type { SavedDelivery, ToDo } from './saved-webhooks-schema.js'
import type { Ways } from './receiver-calls.js'
import type { LiveWebhook } from './live-webhook.js'
import { Sender } from './sender.js'

/**
 * What happens to the webhooks of one world: makes deliveries of engine events and hands them to the
 * sender. It lives until the world ends or follows another scenario.
 */
export class ActiveWebhooks {
  readonly declared: DeclaredParts
  readonly deliveries: Deliveries
  readonly sender: Sender
  readonly #engine: Engine
  #hasHeard = false
  readonly #expressions = new Expressions()
  readonly #saved: SavedWebhooks
  readonly #unsubscribe: () => void
  readonly #events = new DelayedEvents((event) => this.#fire(event))

  /** Adds new deliveries to `deliveries`. */
  constructor({ engine, ways, redact, deliveries }: ActiveWebhooksParts) {
    this.#engine = engine
    this.deliveries = deliveries
    this.#saved = new SavedWebhooks(engine)
    this.sender = new Sender({
      engine,
      ways,
      credentialsOf: (webhook) => this.declared.credentialsOf(webhook),
      secretNamed: (name) => this.declared.secrets.get(name),
      redact,
      changed: (delivery, webhook) => {
        this.#saved.delivery(delivery)
        // Another one may have had its name since the attempt began.
        if (this.declared.webhooks.get(webhook.rule.name) === webhook) this.#saved.webhook(webhook)
      },
    })
    this.declared = new DeclaredParts({
      engine,
      expressions: this.#expressions,
      saved: this.#saved,
      expressionsNeeded: ({ withFilters }) => {
        this.#events.delayUntil(this.#expressions.load(withFilters))
      },
      webhookGone: (name) => {
        for (const each of this.sender.cancelWaiting(name)) this.#saved.delivery(each)
      },
    })
    this.#unsubscribe = engine.events.subscribe((engineEvent) => {
      // Not before the first event: a test attaches its sink after it created the emulator.
      if (!this.#hasHeard)
        warnOfIdleWebhooks(engine.warnings, this.declared.parts, engine.scenario.auth)
      this.#hasHeard = true
      for (const event of this.#eventsOf(engineEvent)) {
        if (!this.#events.areDelayed) this.#fire(event)
        else void engine.journal.background.watch(`deliver ${event.type}`, this.hear(event))
      }
    })
  }

  /** How many events and deliveries are queued or under way. */
  get inFlight(): number {
    return this.sender.inFlight + this.#events.size
  }

  async idle(): Promise<void> {
    while (this.inFlight > 0) {
      await this.#events.loaded
      await this.sender.idle()
    }
  }

  /** What is saved with the world, by keys; each value is read when it is saved. */
  get saved(): Iterable<[key: string, read: ReadEntry]> {
    return this.#saved.all({ webhooks: this.declared.webhooks.values(), ...this.#moving })
  }

  /** The part of it that changes if the clock of a restored world shows another time. */
  get moments(): Iterable<[key: string, read: ReadEntry]> {
    return this.#saved.moments(this.#moving)
  }

  get #moving() {
    const automations = [...this.declared.automations.values()].map(({ live }) => live)
    return { automations, deliveries: this.deliveries.all }
  }

  /** Restores a saved entry of this world. Its moments move by `later` milliseconds. */
  restore(entry: SavedEntry, later: number): void {
    const { name } = entry
    switch (entry.kind) {
      case 'parts':
        return this.declared.restore(entry.value)
      case 'triggered':
        // The emulator counts triggered events itself, so that the count survives a new scenario.
        return undefined
      case 'fired':
        return this.#saved.restoreFired(name, entry.value)
      case 'webhook': {
        const { rule } = this.declared.webhooks.get(name) ?? {}
        if (rule) this.declared.webhooks.set(name, { rule, ...entry.value })
        return undefined
      }
      case 'automation': {
        const { values, firedAt, firings } = entry.value
        const moved = {
          values,
          firedAt: firedAt === undefined ? undefined : firedAt + later,
          firings: firings?.map((at) => at + later),
        }
        return this.declared.automations.get(name)?.live.restore(entry.run, moved)
      }
      case 'delivery':
        return this.#restoreDelivery(name, entry.value, later)
    }
  }

  #restoreDelivery(id: string, saved: SavedDelivery, later: number): void {
    const delivery = restoreDelivery(id, saved)
    this.deliveries.add(delivery)
    const webhook = this.declared.webhooks.get(delivery.webhook)
    if (!this.#engine.resumed || !webhook) {
      delivery.changeStatus('cancelled')
      return
    }
    const toDo = saved.toDo.map((each): ToDo => {
      return each.at === undefined ? each : { ...each, at: each.at + later }
    })
    this.sender.resume(delivery, webhook, toDo)
  }

  /** Makes the deliveries of an event. Resolves to them when they are queued. */
  hear(event: WebhookEvent): Promise<Delivery[]> {
    return this.#events.hear(event)
  }

  /** Makes the deliveries of an event to one webhook, with the payload of an automation. */
  deliver(event: WebhookEvent, { name, webhook, template }: PayloadTemplate): Delivery[] {
    const { rule } = webhook
    webhook.count++
    this.#saved.webhook(webhook)
    const plan = planFor(rule.adversary, webhook.count)
    const credentials = this.declared.credentialsOf(rule)
    const body = payloadBytes(template, { event, webhook: rule, credentials })
    const deliveries: Delivery[] = []
    for (let copy = 1; copy <= plan.copies; copy++) {
      const delivery = new Delivery({
        id: this.#idFor(name, event, copy),
        automation: name,
        webhook: rule.name,
        url: rule.url!,
        event: withoutLargeMetadata(event, template),
        body,
        plan,
        ordinal: webhook.count,
      })
      this.#remember(delivery)
      this.sender.send(delivery, webhook)
      deliveries.push(delivery)
    }
    return deliveries
  }

  /** Cancels everything that is queued, under way or waiting. */
  stop(): void {
    this.#unsubscribe()
    this.#events.drop()
    this.sender.stop()
    for (const delivery of this.deliveries.all) {
      if (delivery.status !== 'pending' && delivery.toDo.size === 0) continue
      delivery.changeStatus('cancelled')
      delivery.toDo.clear()
      this.#saved.delivery(delivery)
    }
  }

  #fire(event: WebhookEvent): Delivery[] {
    const deliveries: Delivery[] = []
    for (const { live, template, unsent } of this.declared.automations.values()) {
      const fired = live.fires(event)
      if (event.run) this.#saved.automation(live, memoryKeyOf(event.run))
      if (!fired || this.#isLimited(live, event)) continue
      if (unsent !== undefined) {
        const what = `${unsent} is not sent, because the emulator sends webhooks only`
        this.#engine.journal.note(`automation ${live.rule.name}: ${what}`, event.cause)
        continue
      }
      const webhook = this.declared.webhooks.get(live.rule.webhook)
      if (webhook?.rule.url === undefined) continue
      deliveries.push(...this.deliver(fired, { name: live.rule.name, webhook, template }))
    }
    return deliveries
  }

  #isLimited(live: Automation, { type, at, cause }: WebhookEvent): boolean {
    const { automation_limits: limits } = this.#engine.scenario
    if (!limits) return false
    const limit = live.limitAt(at, limits)
    if (limit === undefined) this.#saved.automation(live, ITSELF)
    else {
      const text = `automation ${live.rule.name}: ${type} is skipped, because of ${limit}`
      this.#engine.journal.note(text, cause)
    }
    return limit !== undefined
  }

  /**
   * Draws an id from what the delivery is about. If the same happens again, such as an alias that comes
   * back, its delivery has another id. So has each copy that an adversary makes.
   */
  #idFor(automation: string, event: WebhookEvent, copy: number): string {
    const about = aboutOf(automation, event)
    const before = happensOnce(event) ? copy - 1 : this.#saved.timesFired(about)
    return this.#engine.random.uuid('delivery', about, before)
  }

  #remember(delivery: Delivery): void {
    const forgotten = this.deliveries.add(delivery)
    this.#saved.delivery(delivery)
    for (const each of forgotten) {
      this.sender.giveUp(each)
      this.#saved.forgotten(each)
    }
  }

  /** The events that automations may watch. Empty if there are no automations, or none for metrics. */
  #eventsOf(engineEvent: EngineEvent): WebhookEvent[] {
    if (this.declared.automations.size === 0) return []
    const { scenario, checkpointArtifacts } = this.#engine
    const context = { scheme: scenario.artifactScheme, checkpointArtifacts }
    if (engineEvent.type === 'platform_changed') {
      return platformEventsOf(engineEvent, { ...context, metrics: this.#watchedMetrics })
    }
    const isWatched = engineEvent.type !== 'gradient_step' || this.#watchedMetrics.size > 0
    return isWatched ? modelEventsOf(engineEvent, context) : []
  }

  get #watchedMetrics(): ReadonlySet<string> {
    const rules = [...this.declared.automations.values()].map(({ live }) => live.rule)
    return new Set(rules.flatMap((rule) => ('metric' in rule ? rule.metric : [])))
  }
}

interface ActiveWebhooksParts {
  engine: Engine
  ways: Ways
  /** Removes secrets from a text. */
  redact: Redact
  deliveries: Deliveries
}

interface PayloadTemplate {
  /** The name of the automation. */
  name: string
  webhook: LiveWebhook
  template: readonly TemplatePart[]
}

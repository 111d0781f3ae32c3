import type { ApiRequest } from '../contract/exchange.js'
import type { Engine } from '../engine/engine.js'
import { didYouMean } from '../text/nearest.js'
import { templateParts, type PayloadTemplate } from '../scenario/payload-template.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import type { WebhookPartsInput, WebhookParts } from '../scenario/scenario.js'
import { toIso } from '../text/iso.js'
import type { Sent } from './attempt.js'
import { Confidential } from '../text/confidential.js'
import type { LiveWebhook } from './courier.js'
import type { Attempt, Delivery, Execution } from './delivery.js'
import type { Departure } from './departures.js'
import { piecesOf } from './memory.js'
import { Outbox } from './outbox.js'
import { defaultParts, payloadBytes } from './payload.js'
import type { Send } from './send.js'
import { assertEventType, triggeredEvent, triggerFacts, type TriggerFacts } from './trigger.js'
import type { Clues, SignatureRules } from '../signature/verify.js'

/** Raised where no webhook, automation or delivery goes by that name. Code `SVTRAIN_NOT_FOUND`. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError'
  readonly code = 'SVTRAIN_NOT_FOUND'
}

export interface WebhooksOptions {
  send: Send
  /** Checks what is added against the parts that are there, and fills in defaults. */
  check: (input: WebhookPartsInput, present: WebhookParts) => WebhookParts
}

/** What leaves the emulator: `emulator.webhooks`. The same object for as long as the emulator lives. */
export class Webhooks {
  readonly #check: WebhooksOptions['check']
  #deliveries = new Map<string, Delivery>()
  #triggered = new Map<string, number>()
  readonly #confidential = new Confidential()
  readonly #send: Send
  #engine!: Engine
  #outbox: Outbox | undefined

  constructor({ send, check }: WebhooksOptions) {
    this.#send = send
    this.#check = check
  }

  /** All deliveries since the start or the last reset, oldest first. */
  get deliveries(): readonly Delivery[] {
    return [...this.#deliveries.values()]
  }

  /** How many deliveries are queued or under way; those that wait for a moment are not among them. */
  get inFlight(): number {
    return this.#outbox?.inFlight ?? 0
  }

  /** How many are yet to come, at a moment of the clock: retries, and what is held back. */
  get pending(): number {
    return this.#outbox?.courier.waiting ?? 0
  }

  /** Webhooks, automations and secrets as they are now. */
  get parts(): WebhookParts {
    return this.#following.parts
  }

  /** The attempt that arrives at a receiver of this process as that request, and is still under way. */
  arriving(request: ApiRequest): Departure | undefined {
    return this.#outbox?.courier.departures.arriving(request)
  }

  /** Resolves when nothing is queued or under way. */
  async idle(): Promise<void> {
    await this.#outbox?.idle()
  }

  /**
   * Adds secrets, webhooks and automations, as a scenario would have them; one with a name that is
   * there takes its place. They are active at once, until a reset. Raises `ScenarioError`.
   */
  add(parts: WebhookPartsInput): void {
    const added = this.#check(parts, this.parts)
    this.#confidential.add(Object.values(added.secrets))
    this.#following.add(added)
  }

  /**
   * Removes an automation, or a webhook with its automations and what was still to come of its
   * deliveries. Raises `NotFoundError`.
   */
  remove(name: string): void {
    const { webhooks, automations } = this.parts
    if (this.#following.remove(name)) return
    const known = [...webhooks, ...automations].map((each) => each.name)
    throw new NotFoundError(`Failed to remove: ${unknown('webhook or automation', name, known)}`)
  }

  /** Changes a secret of the team, at once for all that follows. */
  setSecret(name: string, value: string): void {
    this.#confidential.add([value])
    this.#following.add({ secrets: { [name]: value }, webhooks: [], automations: [] })
  }

  /** Takes a secret away: what was signed with it goes out unsigned. Raises `NotFoundError`. */
  removeSecret(name: string): void {
    if (this.#following.removeSecret(name)) return
    const known = [...this.#following.secrets.keys()]
    throw new NotFoundError(`Failed to remove: ${unknown('secret', name, known)}`)
  }

  /** A text without the secrets that are in it, those of earlier included. */
  withoutSecrets(text: string): string {
    return this.#confidential.leftOutOf(text)
  }

  /** What a receiver knows of how a webhook signs by now; undefined where there is none of that name. */
  rulesOf(name: string): (SignatureRules & Clues) | undefined {
    const { webhooks, secrets } = this.#following
    const rule = webhooks.get(name)?.rule
    if (!rule) return undefined
    const { secret, accessToken: token } = this.#following.credentialsOf(rule)
    const { header, encoding, prefix } = rule.signature
    return { header, encoding, prefix, secrets: secret, token, known: Object.fromEntries(secrets) }
  }

  /** Why nothing is sent to that webhook any more, where that is so. */
  whyDisabled(name: string): string | undefined {
    return this.#following.webhooks.get(name)?.disabled
  }

  /** Sends to a webhook again that has answered 410. Raises `NotFoundError`. */
  enable(name: string): void {
    this.#following.enable(this.#webhook(name))
  }

  /**
   * Sends a test to a webhook with its stored credentials, and gives what came of it. Neither the
   * payload nor the answer is kept. Raises `NotFoundError`.
   */
  async test(name: string, payload: PayloadTemplate = {}): Promise<Sent> {
    const webhook = this.#webhook(name)
    const { rule } = webhook
    if (rule.url === undefined) throw new NotFoundError(`Failed to test "${name}": it has no URL.`)
    const credentials = this.#following.credentialsOf(rule)
    const body = payloadBytes(templateParts(payload), { webhook: rule, credentials })
    const id = this.#engine.chance.uuid('test delivery', name)
    return this.#following.courier.probe(webhook, { id, body })
  }

  /** Sends a delivery once more: the same id, the same bytes. Raises `NotFoundError`. */
  async resend(id: string): Promise<Attempt> {
    const delivery = this.#deliveries.get(id)
    if (!delivery) {
      const known = this.#deliveries.size
      throw new NotFoundError(
        `Failed to resend: no delivery has the id "${id}"; there are ${known}.`,
      )
    }
    return this.#following.courier.again(delivery, this.#webhook(delivery.webhook))
  }

  /**
   * Makes an event happen for those who watch: every automation that it fits fires. With `to`, it goes
   * straight to that webhook, with the payload that tells everything, whatever the automations.
   * Resolves to the deliveries that it made, as soon as they are queued. Raises `UnknownEventError` or
   * `NotFoundError`.
   */
  async trigger(
    type: string,
    named: TriggerFacts & { to?: string } = {},
  ): Promise<readonly Delivery[]> {
    assertEventType(type)
    triggerFacts.check(named)
    const { to, ...facts } = named
    const outbox = this.#following
    const same = JSON.stringify([type, facts])
    const before = this.#triggered.get(same) ?? 0
    this.#triggered.set(same, before + 1)
    this.#engine.changes.outgoing(`triggered ${same}`, () => this.#triggered.get(same))
    const { clock, scenario } = this.#engine
    const scheme = scenario.artifactScheme
    const event = triggeredEvent(type, facts, { at: clock.now(), scheme, before })
    if (to === undefined) return outbox.hear(event)
    const webhook = this.#webhook(to)
    return outbox.deliver(event, { name: `trigger ${to}`, webhook, template: defaultParts })
  }

  /** What became of each time that an automation fired, oldest first; of all, where none is named. */
  history(automation?: string): Execution[] {
    return this.deliveries
      .filter((each) => automation === undefined || each.automation === automation)
      .map((delivery) => {
        const { attempts, status, event, url, text } = delivery
        const last = attempts.at(-1)
        return {
          timestamp: toIso(event.at),
          automation: delivery.automation,
          event: event.type,
          status: executionStatus[status],
          action: { url, payload: text },
          response_status: last?.status ?? null,
          error: last?.error ?? null,
        }
      })
  }

  /** All that is to be kept with the world, by keys; each is read when it is written down. */
  get kept(): Map<string, () => unknown> {
    const kept = new Map(this.#following.kept)
    for (const [same, times] of this.#triggered) kept.set(`triggered ${same}`, () => times)
    return kept
  }

  /**
   * Follows a world, or what its scenario says by now; all that was on its way is cancelled. A world
   * that was kept goes on with what was kept of its webhooks, too.
   */
  follow(engine: Engine, saved?: SavedWorld): void {
    const isSame = this.#engine === engine
    if (isSame) this.stop()
    const deliveries = isSame ? this.#deliveries : new Map<string, Delivery>()
    const triggered = isSame ? this.#triggered : new Map<string, number>()
    const redact = (text: string): string => this.withoutSecrets(text)
    const outbox = new Outbox({ engine, send: this.#send, redact, deliveries })
    if (saved) restoreInto(outbox, { saved, triggered, engine })
    // Those of a world before go on until the next world is there.
    if (!isSame) this.stop()
    this.#engine = engine
    this.#deliveries = deliveries
    this.#triggered = triggered
    this.#outbox = outbox
    this.#confidential.add(Object.values(engine.scenario.secrets))
  }

  /** Cancels everything that is queued, under way or to come. */
  stop(): void {
    this.#outbox?.stop()
  }

  get #following(): Outbox {
    return this.#outbox!
  }

  #webhook(name: string): LiveWebhook {
    const { webhooks } = this.#following
    const found = webhooks.get(name)
    if (found) return found
    throw new NotFoundError(`Failed: ${unknown('webhook', name, [...webhooks.keys()])}`)
  }
}

interface Restored {
  saved: SavedWorld
  triggered: Map<string, number>
  engine: Engine
}

/** Where the scenario is another one, its webhooks begin anew; what was delivered is history. */
function restoreInto(outbox: Outbox, { saved, triggered, engine }: Restored): void {
  const later = engine.startedAt - saved.now
  try {
    for (const piece of piecesOf(saved)) {
      const { what, names, kept } = piece
      if (what === 'triggered') triggered.set(names[0], kept as number)
      else if (engine.goesOn || what === 'fired' || what === 'delivery') {
        outbox.restore(piece, later)
      }
    }
  } catch (error) {
    outbox.stop()
    throw error
  }
}

const executionStatus = {
  pending: 'Pending',
  delivered: 'Finished',
  failed: 'Failed',
  cancelled: 'Failed',
} as const

function unknown(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known)
  return `there is no ${what} named "${name}".${hint} There are: ${known.join(', ') || 'none'}.`
}

import type { ApiRequest } from '../../service/contract/exchange.js'
import type { Engine } from '../../service/engine/engine.js'
import type { SavedWorld } from '../../service/engine/saved/restore.js'
import { templateParts, type PayloadTemplate } from '../../service/scenario/payload-template.js'
import type { EventType, WebhookPartsInput, WebhookParts } from '../../service/scenario/scenario.js'
import type { Redact } from '../../base/text/redaction/redact.js'
import type { Clues, SignatureRules } from '../signature/verify.js'
import { EmulatorError } from '../../base/text/emulator-error.js'
import { didYouMean } from '../../base/text/nearest.js'
import { aText, checkArgument, either, jsonObject, valueKind } from '../../base/text/options.js'
import { aWebhookSecret } from '../../base/text/webhook-secret.js'
import { mayNameSecret, SECRET_NAME_WORDS } from '../../service/scenario/secret-name.js'
import { ActiveWebhooks } from './active-webhooks.js'
import { outageAt, tamperedBy } from './adversary.js'
import type { DeclaredParts } from './declared-parts.js'
import { Deliveries } from './deliveries.js'
import type { Attempt, AttemptResult, Delivery } from './delivery.js'
import { executionOf, type Execution } from './execution.js'
import { defaultParts, payloadBytes } from './payload.js'
import { isReceiver, partsOfReceiver } from './added-receiver.js'
import type { WebhookReceiver } from './webhook-receiver.js'
import type { AttemptUnderWay, Ways } from './receiver-calls.js'
import { savedEntries, webhooksIn } from './restored-webhooks.js'
import { savedWebhooks, type ReadEntry } from './saved-webhooks.js'
import type { LiveWebhook } from './live-webhook.js'
import { missingName, NAME_AGAIN, type MissingWebhook } from './missing-webhooks.js'
import {
  assertEventType,
  triggeredEvent,
  checkFacts,
  type TriggerFacts,
  type TriggerOrigin,
} from './trigger.js'

const secretName = valueKind(SECRET_NAME_WORDS, (value) => {
  return typeof value === 'string' && mayNameSecret(value)
})

/** How long those that look for deliveries wait for what is under way, in milliseconds of real time. */
export const GRACE = 2000

/** A payload is JSON as text, or an object that JSON can write. */
const aPayload = either((value) => typeof value === 'string', jsonObject)

/** Thrown when no webhook, automation, secret or delivery has that name. Code `SVTRAIN_NOT_FOUND`. */
export class NotFoundError extends EmulatorError {
  override readonly name = 'NotFoundError'
  readonly code = 'SVTRAIN_NOT_FOUND'
}

export interface WebhooksOptions {
  ways: Ways
  /** Checks what is added against the parts that are there, and fills in defaults. */
  check: (input: WebhookPartsInput, present: WebhookParts) => WebhookParts
}

/**
 * The outbound webhooks of an emulator: `emulator.webhooks`. It stays the same object for as long as
 * the emulator lives.
 *
 * @example
 * emulator.webhooks.add({ url: 'http://127.0.0.1:3000/hook', secret: 's3cret' })
 * await emulator.trigger('RUN_STATE', { state: 'finished' })
 * await emulator.webhooks.idle()
 * console.log(emulator.webhooks.deliveries.map(({ status }) => status))
 */
export class Webhooks {
  readonly #options: WebhooksOptions
  #deliveries = new Deliveries()
  #triggered = new Map<string, number>()
  /** The names of the webhooks that the saved world had. */
  #restored: readonly string[] = []
  #engine!: Engine
  #current: ActiveWebhooks | undefined
  /** What had failed when the command ended that has the receivers. */
  #failedInTime: ReadonlySet<Delivery> | undefined

  constructor(options: WebhooksOptions) {
    this.#options = options
  }

  /** The deliveries since the start or the last reset, oldest first; at most the latest 20,000. */
  get deliveries(): readonly Delivery[] {
    return this.#deliveries.all
  }

  /**
   * Returns a delivery by its id.
   *
   * @returns The delivery; undefined if no delivery has that id.
   * @example
   * const latest = emulator.journal.entries.findLast((entry) => entry.kind === 'delivery')
   * console.log(emulator.webhooks.delivery(latest!.deliveryId)?.text)
   */
  delivery(id: string): Delivery | undefined {
    return this.#deliveries.get(id)
  }

  /**
   * Whether no receiver could have acknowledged a delivery: an adversary changed it, or had the receiver down for
   * all of its attempts.
   *
   * @internal
   */
  wasSpoiled(id: string): boolean {
    const delivery = this.#deliveries.get(id)
    if (!delivery) return false
    const { webhook, tampering, attempts, ordinal } = delivery
    const rules = this.#declared.webhooks.get(webhook)?.rule.adversary ?? []
    const { began } = this.#engine
    const isDown = attempts.every(({ at }) => outageAt(rules, { ordinal, since: at - began }))
    return isDown || tamperedBy(tampering) !== undefined
  }

  /**
   * Says that the command has ended that the world is for: receivers of it are gone.
   *
   * @internal
   */
  commandEnded(): void {
    this.#failedInTime = new Set(this.deliveries.filter(({ status }) => status === 'failed'))
  }

  /**
   * Whether a delivery failed after the command ended that the world is for.
   *
   * @internal
   */
  failedTooLate(delivery: Delivery): boolean {
    const { status } = delivery
    return status === 'failed' && this.#failedInTime?.has(delivery) === false
  }

  /** How many deliveries are queued or under way, without those that wait for the clock. */
  get inFlight(): number {
    return this.#current?.inFlight ?? 0
  }

  /** How many deliveries wait for the clock: retries, and those that an adversary holds back. */
  get pending(): number {
    return this.#current?.sender.waiting ?? 0
  }

  /**
   * The webhooks of options that the saved world had, and that nobody has named again.
   *
   * @internal
   */
  get missing(): MissingWebhook[] {
    const names = this.#restored.filter((name) => !this.#declared.webhooks.has(name))
    return names.map((name) => ({ name, url: this.#latestUrl(name) }))
  }

  /** The current webhooks, automations and secrets. */
  get parts(): WebhookParts {
    return this.#declared.parts
  }

  /**
   * The same without what programs made, whose scopes and actions no scenario can have.
   *
   * @internal
   */
  get written(): WebhookParts {
    return this.#declared.written
  }

  /**
   * Returns the attempt that reaches a receiver in this process as that request, over the network.
   *
   * @internal
   */
  arriving(request: ApiRequest): AttemptUnderWay | undefined {
    return this.#current?.sender.arriving(request)
  }

  /**
   * Resolves when no delivery is queued or under way. It does not wait for retries, which need the clock.
   *
   * @example
   * await emulator.webhooks.idle()
   */
  async idle(): Promise<void> {
    await this.#current?.idle()
  }

  /**
   * Adds a receiver of every event, by its URL and its secret. Or adds secrets, webhooks and automations, written as in
   * a scenario: each replaces the one of the same name. A webhook keeps what is not named. They are active at once,
   * until a reset.
   *
   * @throws {ScenarioError} When a part can't be used.
   * @throws {OptionsError} When the URL or the secret can't be used.
   * @example
   * emulator.webhooks.add({ url: 'http://127.0.0.1:3000/hook', secret: 's3cret' })
   */
  add(parts: WebhookPartsInput | WebhookReceiver): void {
    const present = { ...this.parts, random: this.#engine.random }
    const input = isReceiver(parts) ? partsOfReceiver(parts, present) : parts
    this.#declared.add(this.#options.check(input, this.#declared.written))
  }

  /**
   * Removes an automation, or a webhook with its automations and its waiting deliveries.
   *
   * @throws {NotFoundError} When neither has that name.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * emulator.webhooks.remove('mine')
   */
  remove(name: string): void {
    checkArgument('webhooks.remove', { name: 'name', value: name, kind: aText })
    const { webhooks, automations } = this.parts
    if (this.#declared.remove(name)) return
    const known = [...webhooks, ...automations].map((each) => each.name)
    throw new NotFoundError(`Failed to remove: ${unknown('webhook or automation', name, known)}`)
  }

  /**
   * Sets a secret of the team. Webhooks that name it sign their next deliveries with it.
   *
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * emulator.webhooks.setSecret('WEBHOOK_SECRET', 'rotated')
   */
  setSecret(name: string, value: string): void {
    checkArgument('webhooks.setSecret', { name: 'name', value: name, kind: secretName })
    checkArgument('webhooks.setSecret', { name: 'value', value, kind: aWebhookSecret })
    this.#declared.add({ secrets: { [name]: value }, webhooks: [], automations: [] })
  }

  /**
   * Removes a secret. Webhooks that sign with it send unsigned deliveries from now on.
   *
   * @throws {NotFoundError} When no secret has that name.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * emulator.webhooks.removeSecret('WEBHOOK_SECRET')
   */
  removeSecret(name: string): void {
    checkArgument('webhooks.removeSecret', { name: 'name', value: name, kind: aText })
    if (this.#declared.removeSecret(name)) return
    const known = [...this.#declared.secrets.keys()]
    throw new NotFoundError(`Failed to remove: ${unknown('secret', name, known)}`)
  }

  /**
   * Removes all secrets from a text, earlier ones included.
   *
   * @internal
   */
  readonly withoutSecrets: Redact = (text, about) => {
    return this.#engine.journal.redactor.redact(text, about)
  }

  /**
   * Returns the current signature rules of a webhook; undefined if there is no such webhook.
   *
   * @internal
   */
  rulesOf(name: string): (SignatureRules & Clues) | undefined {
    const { webhooks, secrets } = this.#declared
    const rule = webhooks.get(name)?.rule
    if (!rule) return undefined
    const { secret, accessToken: token } = this.#declared.credentialsOf(rule)
    const { header, encoding, prefix } = rule.signature
    return { header, encoding, prefix, secrets: secret, token, known: Object.fromEntries(secrets) }
  }

  /**
   * Returns why a webhook is disabled.
   *
   * @returns The reason in words; undefined if the webhook is enabled.
   * @example
   * expect(emulator.webhooks.whyDisabled('mine')).toBeUndefined()
   */
  whyDisabled(name: string): string | undefined {
    return this.#declared.webhooks.get(name)?.disabled
  }

  /**
   * Enables a webhook that answered 410, so that deliveries are sent to it again.
   *
   * @throws {NotFoundError} When no webhook has that name.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * emulator.webhooks.enable('mine')
   */
  enable(name: string): void {
    checkArgument('webhooks.enable', { name: 'name', value: name, kind: aText })
    this.#declared.enable(this.#webhook(name))
  }

  /**
   * Sends a test delivery to a webhook, with its stored credentials. Records nothing.
   *
   * @param name The name of the webhook.
   * @param payload The payload, which may contain variables. Default: `{}`.
   * @returns The response, or why there was none.
   * @throws {NotFoundError} When no webhook has that name, or it has no URL.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * const { status } = await emulator.webhooks.test('mine')
   */
  async test(name: string, payload: PayloadTemplate = {}): Promise<AttemptResult> {
    checkArgument('webhooks.test', { name: 'name', value: name, kind: aText })
    checkArgument('webhooks.test', { name: 'payload', value: payload, kind: aPayload })
    const webhook = this.#webhook(name)
    const { rule } = webhook
    if (rule.url === undefined) throw new NotFoundError(`Failed to test "${name}": it has no URL.`)
    const credentials = this.#declared.credentialsOf(rule)
    const body = payloadBytes(templateParts(payload), { webhook: rule, credentials })
    const id = this.#engine.random.uuid('test delivery', name)
    return this.#active.sender.probe(webhook, { id, body })
  }

  /**
   * Sends a delivery again, with the same id and the same bytes.
   *
   * @returns The new attempt.
   * @throws {NotFoundError} When no delivery has that id, or its webhook was removed.
   * @throws {OptionsError} When an argument can't be used.
   * @throws {Error} When the world ends before the attempt is over.
   * @example
   * const [delivery] = emulator.webhooks.deliveries
   * const { status } = await emulator.webhooks.resend(delivery!.id)
   */
  async resend(id: string): Promise<Attempt> {
    checkArgument('webhooks.resend', { name: 'id', value: id, kind: aText })
    const delivery = this.#deliveries.get(id)
    if (!delivery) {
      const known = this.#deliveries.size
      throw new NotFoundError(
        `Failed to resend: no delivery has the id "${id}"; there are ${known}.`,
      )
    }
    const { webhook: name, url } = delivery
    const webhook = this.#declared.webhooks.get(name)
    if (webhook) return this.#active.sender.resend(delivery, webhook)
    throw new NotFoundError(
      `Failed to resend: there is no webhook ${missingName({ name, url })} any more. ${NAME_AGAIN}`,
    )
  }

  /**
   * Triggers an event. Every automation that matches it fires. With `to`, the event goes only to that
   * webhook, with the default payload.
   *
   * @param type The type of the event, such as `RUN_STATE`.
   * @param named The facts of the event, and the name of a webhook in `to`.
   * @returns The deliveries, as soon as they are queued.
   * @throws {UnknownEventError} When there is no such event.
   * @throws {NotFoundError} When no webhook is named `to`.
   * @throws {OptionsError} When a fact can't be used, or when the event does not have it.
   * @example
   * const [delivery] = await emulator.webhooks.trigger('RUN_STATE', { state: 'failed' })
   */
  async trigger(
    type: EventType | (string & {}),
    named: TriggerFacts & { to?: string } = {},
    { jobId, cause: led }: TriggerOrigin = {},
  ): Promise<readonly Delivery[]> {
    assertEventType(type)
    checkFacts(type, named)
    const { to, ...facts } = named
    const active = this.#active
    // Found before the event is counted: a refused call has no effect.
    const webhook = to === undefined ? undefined : this.#webhook(to)
    const cause = typeof led === 'function' ? led() : led
    const same = JSON.stringify([type, facts])
    const before = this.#triggered.get(same) ?? 0
    this.#triggered.set(same, before + 1)
    this.#engine.changes.changed(savedWebhooks, `triggered ${same}`, () =>
      this.#triggered.get(same),
    )
    const { clock, scenario } = this.#engine
    const scheme = scenario.artifactScheme
    const event = triggeredEvent(type, facts, { at: clock.now(), scheme, before, jobId, cause })
    if (!webhook) return active.hear(event)
    const name = `trigger ${webhook.rule.name}`
    return active.deliver(event, { name, webhook, template: defaultParts })
  }

  /**
   * Returns the runs of an automation, or of all automations, oldest first.
   *
   * @param automation The name of the automation. Default: all.
   * @example
   * const failed = emulator.webhooks.history('mine').filter(({ status }) => status === 'Failed')
   */
  history(automation?: string): Execution[] {
    return this.deliveries
      .filter((each) => automation === undefined || each.automation === automation)
      .map(executionOf)
  }

  /**
   * What is saved with the world, by keys; each value is read when it is saved.
   *
   * @internal
   */
  get saved(): Map<string, ReadEntry> {
    const saved = new Map<string, ReadEntry>(this.#active.saved)
    for (const [same, times] of this.#triggered) saved.set(`triggered ${same}`, () => times)
    return saved
  }

  /**
   * The part of `saved` that changes if the clock of a restored world shows another time.
   *
   * @internal
   */
  get moments(): Map<string, ReadEntry> {
    return new Map(this.#active.moments)
  }

  /**
   * Follows a new engine, or the new scenario of the same one. Everything under way is cancelled. With
   * a saved world, its webhooks are restored.
   *
   * @internal
   */
  follow(engine: Engine, saved?: SavedWorld): void {
    const isSame = this.#engine === engine
    if (isSame) this.stop()
    const deliveries = isSame ? this.#deliveries : new Deliveries()
    const triggered = isSame ? this.#triggered : new Map<string, number>()
    const { ways } = this.#options
    const redact: Redact = (text, about) => this.withoutSecrets(text, about)
    const active = new ActiveWebhooks({ engine, ways, redact, deliveries })
    if (saved) restoreInto(active, { saved, triggered, engine })
    // Deliveries of the world before continue until the next world is there.
    if (!isSame) this.stop()
    this.#engine = engine
    this.#deliveries = deliveries
    this.#triggered = triggered
    if (!isSame) this.#restored = saved && engine.resumed ? webhooksIn(saved) : []
    this.#current = active
    engine.automations = active.declared
  }

  /**
   * Cancels everything that is queued, under way or waiting.
   *
   * @internal
   */
  stop(): void {
    this.#current?.stop()
  }

  get #active(): ActiveWebhooks {
    return this.#current!
  }

  get #declared(): DeclaredParts {
    return this.#active.declared
  }

  #latestUrl(name: string): string | null {
    return this.deliveries.findLast(({ webhook }) => webhook === name)?.url ?? null
  }

  #webhook(name: string): LiveWebhook {
    const { webhooks } = this.#declared
    const found = webhooks.get(name)
    if (found) return found
    throw new NotFoundError(`Failed: ${unknown('webhook', name, [...webhooks.keys()])}`)
  }
}

interface RestoredWebhooks {
  saved: SavedWorld
  triggered: Map<string, number>
  engine: Engine
}

/** With another scenario, only past deliveries are restored; its webhooks start fresh. */
function restoreInto(active: ActiveWebhooks, { saved, triggered, engine }: RestoredWebhooks): void {
  const later = engine.startedAt - saved.now
  try {
    for (const entry of savedEntries(saved)) {
      if (entry.kind === 'triggered') triggered.set(entry.name, entry.value)
      else if (engine.resumed || entry.kind === 'fired' || entry.kind === 'delivery') {
        active.restore(entry, later)
      }
    }
  } catch (error) {
    active.stop()
    throw error
  }
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known)
  return `there is no ${what} named "${name}".${hint} There are: ${known.join(', ') || 'none'}.`
}

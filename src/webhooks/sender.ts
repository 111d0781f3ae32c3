import { withoutCredentials } from '../text/authority.js'
import type { Engine } from '../engine/engine.js'
import type { DeliveryEntry } from '../engine/journal.js'
import type { WebhookRule } from '../scenario/scenario.js'
import type { Appointment } from '../clock/agenda.js'
import { milliseconds } from '../text/duration.js'
import { downBy, tampered } from './adversary.js'
import { sendOnce, Signer, type Sent } from './signer.js'
import type { Attempt, Delivery, ToDo } from './delivery.js'
import { Departures } from './departures.js'
import { Dispatcher } from './dispatcher.js'
import type { Credentials } from './payload.js'
import { answerInOneLine, type Send } from './send.js'

/** A webhook with what became of it. */
export interface LiveWebhook {
  readonly rule: WebhookRule
  /** Why nothing is sent to it any more. */
  disabled?: string | undefined
  /** How many deliveries it was meant to have. */
  count: number
}

interface CourierWorld {
  readonly engine: Engine
  /** Asked for each delivery: what it is may change. */
  readonly send: Send
  /** What the webhook's secrets are now. */
  readonly credentialsOf: (webhook: WebhookRule) => Credentials
  readonly secretNamed: (name: string) => string | undefined
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
  /** Told of each change of a delivery, or of its webhook. */
  readonly changed: (delivery: Delivery, webhook: LiveWebhook) => void
}

/** Takes deliveries to their receivers: signs, sends, writes down what came of it, tries again. */
export class Courier {
  /** What is on its way at this moment. */
  readonly departures = new Departures()
  readonly #world: CourierWorld
  readonly #dispatcher: Dispatcher
  readonly #signer = new Signer()
  readonly #underWay = new Set<AbortController>()
  readonly #later = new Map<Appointment, { delivery: Delivery; toDo: ToDo }>()
  #stopped = false
  #skipping = 0

  constructor(world: CourierWorld) {
    this.#world = world
    this.#dispatcher = new Dispatcher(() => world.engine.journal.asked)
  }

  /** How many attempts are queued or under way. */
  get inFlight(): number {
    return this.#dispatcher.size + this.#skipping
  }

  /** How many wait for a moment of the clock. */
  get waiting(): number {
    return this.#later.size
  }

  idle(): Promise<void> {
    return this.#dispatcher.idle()
  }

  /** Queues a delivery; what fails is tried again as its webhook says. */
  take(delivery: Delivery, webhook: LiveWebhook): void {
    const toDo: ToDo = { times: 1 }
    delivery.toDo.add(toDo)
    this.#dispatcher.add(webhook.rule.name, async () => {
      const entry = this.#open(delivery)
      const attempt = entry && (await this.#attempt(delivery, webhook, entry))
      delivery.toDo.delete(toDo)
      if (!attempt || this.#stopped) {
        delivery.status = 'cancelled'
        if (entry) this.#close(entry, delivery, CANCELLED)
        return
      }
      const wait = attempt.error === undefined ? undefined : waitAfter(attempt, delivery, webhook)
      if (attempt.error === undefined) delivery.status = 'delivered'
      else if (delivery.status !== 'delivered') {
        delivery.status = wait === undefined ? 'failed' : 'pending'
      }
      this.#close(entry, delivery, attempt, wait)
      this.#world.changed(delivery, webhook)
      if (wait === undefined) return
      const again = { times: 1, at: attempt.at + milliseconds(wait) }
      this.later(again, delivery, () => this.take(delivery, webhook))
    })
  }

  /** Sends it once more, now, and once only. */
  again(delivery: Delivery, webhook: LiveWebhook): Promise<Attempt> {
    return new Promise((resolve, reject) => {
      const tooLate = (): void => reject(new Error('Failed to resend: the world ended.'))
      const work = async (): Promise<void> => {
        const entry = this.#open(delivery)
        const attempt = entry && (await this.#attempt(delivery, webhook, entry))
        if (!attempt || this.#stopped) {
          if (entry) this.#close(entry, delivery, CANCELLED)
          return tooLate()
        }
        if (attempt.error === undefined) delivery.status = 'delivered'
        this.#close(entry, delivery, attempt)
        this.#world.changed(delivery, webhook)
        resolve(attempt)
      }
      this.#dispatcher.add(webhook.rule.name, work, tooLate)
    })
  }

  /** Sends something that is no delivery, at once, with the webhook's credentials. Records nothing. */
  async probe(
    { rule }: LiveWebhook,
    { id, body }: { id: string; body: Uint8Array },
  ): Promise<Sent> {
    const credentials = this.#world.credentialsOf(rule)
    const at = this.#world.engine.clock.now()
    const headers = await this.#signer.headersOf({ webhook: rule, credentials, id, body, at })
    return this.#send(rule, { url: rule.url!, headers, body })
  }

  /** Does something for a delivery at a moment of the world's clock. */
  later(toDo: ToDo & { at: number }, delivery: Delivery, task: () => void): Appointment {
    const { clock } = this.#world.engine
    delivery.toDo.add(toDo)
    const appointment = clock.at(toDo.at, () => {
      this.#later.delete(appointment)
      delivery.toDo.delete(toDo)
      task()
    })
    this.#later.set(appointment, { delivery, toDo })
    if (clock.mode === 'instant') void this.#skipTo(appointment)
    return appointment
  }

  /** Nobody moves such a clock: what is to come comes as soon as what happens now has happened. */
  async #skipTo(appointment: Appointment): Promise<void> {
    this.#skipping++
    await Promise.resolve()
    this.#skipping--
    const { clock } = this.#world.engine
    if (this.#later.has(appointment)) clock.advanceTo(Math.max(appointment.at, clock.now()))
  }

  /** Takes back what was to be done later. */
  cancel(appointment: Appointment | undefined): void {
    if (!appointment) return
    this.#world.engine.clock.cancel(appointment)
    const later = this.#later.get(appointment)
    later?.delivery.toDo.delete(later.toDo)
    this.#later.delete(appointment)
  }

  /** Cancels everything that is queued, under way or to come. */
  stop(): void {
    this.#stopped = true
    this.#dispatcher.clear()
    for (const abort of this.#underWay) abort.abort(new Error('the world ended'))
    this.cancelLater()
  }

  /** Cancels what waits for a moment, all of it or that of one webhook, and gives its deliveries. */
  cancelLater(webhook?: string): Delivery[] {
    const those = [...this.#later].filter(([, { delivery }]) => {
      return webhook === undefined || delivery.webhook === webhook
    })
    return those.map(([appointment, { delivery }]) => {
      this.cancel(appointment)
      delivery.status = 'cancelled'
      return delivery
    })
  }

  async #attempt(delivery: Delivery, webhook: LiveWebhook, entry: DeliveryEntry): Promise<Attempt> {
    const { engine } = this.#world
    const at = engine.clock.now()
    const number = delivery.attempts.length + 1
    const record = (sent: Sent, headers = {}, body = delivery.body): Attempt => {
      const changed = body === delivery.body ? {} : { sent: body }
      const attempt = { number, at, headers, ...changed, ...sent }
      delivery.attempts.push(attempt)
      return attempt
    }
    if (webhook.disabled !== undefined) return record(notSent(webhook.disabled))
    const { ordinal } = delivery
    const down = downBy(webhook.rule.adversary, { ordinal, since: at - engine.began })
    const headers = await this.#headersFor(delivery, webhook.rule)
    if (down?.status !== undefined) {
      return record({ took: 0, status: down.status, error: `answered ${down.status}` }, headers)
    }
    if (down) return record({ took: 0, error: REFUSED }, headers)
    const body = tampered(delivery.body, delivery.tampering)
    const { rule } = webhook
    const sent = await this.departures.during(
      { entry, delivery, at: delivery.event.at, rule, url: delivery.url, headers, body },
      () => this.#send(rule, { url: delivery.url, headers, body }),
    )
    if (sent.status === 410) webhook.disabled = 'it answered 410, which disables a webhook'
    return record(sent, headers, body)
  }

  async #send(rule: WebhookRule, outgoing: Parameters<typeof sendOnce>[1]): Promise<Sent> {
    const abort = new AbortController()
    this.#underWay.add(abort)
    const sent = await sendOnce(this.#world.send, outgoing, { timeout: rule.timeout, abort })
    this.#underWay.delete(abort)
    return sent
  }

  async #headersFor({ id, body, tampering }: Delivery, webhook: WebhookRule) {
    const { engine, credentialsOf, secretNamed } = this.#world
    const { accessToken, secret } = credentialsOf(webhook)
    const signedWith = (): string | undefined => {
      if (secret === undefined || tampering.unsigned) return undefined
      if (tampering.secret === 'wrong') return engine.chance.token(24, 'wrong secret', webhook.name)
      return tampering.secret ? secretNamed(tampering.secret.named) : secret
    }
    const credentials = { accessToken, secret: signedWith() }
    const at = engine.clock.now()
    return this.#signer.headersOf({ webhook, credentials, id, body, at })
  }

  /** Undefined where nothing leaves any more. */
  #open(delivery: Delivery): DeliveryEntry | undefined {
    if (this.#stopped) return undefined
    const { id: deliveryId, webhook, url, event, attempts } = delivery
    return this.#world.engine.journal.delivery({
      deliveryId,
      attempt: attempts.length + 1,
      webhook,
      url: withoutCredentials(url),
      event: event.type,
      cause: event.cause,
      text: `${about(delivery)} to ${webhook}: under way`,
    })
  }

  #close(
    entry: DeliveryEntry,
    delivery: Delivery,
    { status, error, answer }: Pick<Attempt, 'status' | 'error' | 'answer'>,
    wait?: string,
  ): void {
    const again = wait === undefined ? '' : `; again in ${wait}`
    const nth = entry.attempt === 1 ? '' : ` (attempt ${entry.attempt})`
    const refusal = error === undefined ? '' : answerInOneLine(answer ?? '', this.#world.redact)
    const outcome = `${status ?? error ?? ''} ${refusal}`.trimEnd()
    const text = `${about(delivery)} to ${delivery.webhook}${nth}: ${outcome}${again}`
    this.#world.engine.journal.delivered(entry, { status, error, text })
  }
}

const CANCELLED = { error: 'cancelled: the world ended' }
const REFUSED = 'ECONNREFUSED: the scenario has the receiver down'

function notSent(why: string): Sent {
  return { took: 0, error: `not sent: ${why}` }
}

/** How long after this attempt the next one follows; undefined where none does. */
function waitAfter({ status }: Attempt, { attempts }: Delivery, { rule, disabled }: LiveWebhook) {
  if (status === 410 || disabled !== undefined) return undefined
  return rule.retries[attempts.length - 1]
}

/** An event in a few words: `RUN_STATE failed`. */
function about({ event }: Delivery): string {
  const { type, alias, tag, run, metric } = event
  const detail = alias ?? tag ?? metric?.name ?? run?.state
  return detail === undefined ? type : `${type} ${detail}`
}

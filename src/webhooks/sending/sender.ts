import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import type { Redact, RedactedText } from '../../base/text/redaction/redact.js'
import type { ScheduledTask, TaskFacts } from '../../base/clock/timer-queue.js'
import type { ApiRequest } from '../../service/contract/exchange.js'
import { isUnderWay, type DeliveryEntry } from '../../service/engine/journal-entry.js'
import { nameOfSend } from '../../base/text/sends.js'
import { milliseconds } from '../../base/text/duration.js'
import type { Attempt, AttemptResult, Delivery } from './delivery.js'
import type { ToDo } from './saved-webhooks-schema.js'
import { formatEvent } from './event.js'
import { HeldBack } from './held-back.js'
import type { LiveWebhook } from './live-webhook.js'
import { SendQueue } from './send-queue.js'
import { Preparation, type PreparationOptions } from './preparation.js'
import { ReceiverCalls, WORLD_ENDED, type AttemptUnderWay, type Ways } from './receiver-calls.js'
import { answerInOneLine } from './transport.js'
import { enableAgain } from './why-failed.js'

interface SenderOptions extends PreparationOptions {
  readonly ways: Ways
  /** Called after each change of a delivery, or of its webhook. */
  readonly changed: (delivery: Delivery, webhook: LiveWebhook) => void
}

/** Thrown when the world, or its scenario, ends before what somebody sends again has an answer. */
export class CutOffError extends Error {}

/** A delivery that waits for a moment of the clock. */
interface Waiting {
  readonly delivery: Delivery
  readonly webhook: LiveWebhook
  readonly task: ScheduledTask
}

/**
 * Sends deliveries in the order of their webhook, records each attempt, and tries again. It owns all waiting on the
 * emulator's clock: retries, and what an adversary's plan delays or holds back.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #queue: SendQueue
  readonly #preparation: Preparation
  readonly #calls: ReceiverCalls
  readonly #waiting = new Map<ToDo, Waiting>()
  readonly #heldBack = new HeldBack()
  /** Resolves when all attempts so far are signed. Signing takes time, and attempts leave in the order of their start. */
  #signed: Promise<void> = Promise.resolve()
  #stopped = false
  #hasGivenUp = false
  #skipping = 0

  constructor(options: SenderOptions) {
    this.#options = options
    this.#calls = new ReceiverCalls(options.ways)
    this.#preparation = new Preparation({ ...options, redact: (text) => this.#redact(text) })
    this.#queue = new SendQueue(() => options.engine.journal.requestCount)
  }

  /** How many attempts are queued or under way. */
  get inFlight(): number {
    return this.#queue.size + this.#skipping
  }

  /** How many deliveries wait for a moment of the clock. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when nothing is queued or under way. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  /** Sends a new delivery as its plan says. It may release others, which waited for it. */
  send(delivery: Delivery, webhook: LiveWebhook): void {
    const { times, delay, held } = delivery.plan
    const now = this.#options.engine.clock.now()
    const released = this.#heldBack.releasedBy(delivery)
    // One that an earlier one waited for goes at once. Copies of a storm have the same ordinal.
    const ordinals = released.map((toDo) => this.#waiting.get(toDo)!.delivery.ordinal)
    if (held && ordinals.every((each) => each === delivery.ordinal)) {
      this.#follow({ times, at: now + held.within, until: held.until }, delivery, webhook)
    } else this.#follow(delay > 0 ? { times, at: now + delay } : { times }, delivery, webhook)
    for (const toDo of released) this.#endWait(toDo)
  }

  /**
   * Continues with a delivery that was saved. What was queued or under way is sent again, as it may not
   * have arrived.
   */
  resume(delivery: Delivery, webhook: LiveWebhook, toDo: readonly ToDo[]): void {
    for (const each of toDo) this.#follow(each, delivery, webhook)
  }

  /**
   * Sends a delivery again, before all that its webhook has queued and without retries. Rejects if
   * the world ends first.
   */
  resend(delivery: Delivery, webhook: LiveWebhook): Promise<Attempt> {
    return new Promise((resolve, reject) => {
      const tooLate = (): void => reject(new CutOffError('Failed to resend: the world ended.'))
      const run = async (): Promise<void> => {
        const attempt = await this.#attempt(delivery, webhook)
        if (attempt) resolve(attempt)
        else tooLate()
      }
      this.#queue.add(webhook.rule.name, { run, dropped: tooLate, first: true })
    })
  }

  /** Sends other bytes than a delivery, at once, with the credentials of the webhook. Records nothing. */
  async probe(
    { rule }: LiveWebhook,
    { id, body }: { id: string; body: Uint8Array },
  ): Promise<AttemptResult> {
    const { headers, failure } = await this.#preparation.ofTest(rule, { id, body })
    return failure ?? this.#calls.call(rule, { url: rule.url!, headers, body })
  }

  /** Returns the attempt that arrives over the network as this request; of equal ones, the first not yet arrived. */
  arriving(request: ApiRequest): AttemptUnderWay | undefined {
    return this.#calls.arriving(request)
  }

  /** Cancels what waits for a moment, of all webhooks or of one, and returns its deliveries. */
  cancelWaiting(webhook?: string): Delivery[] {
    const cancelled = [...this.#waiting].filter(([, { delivery }]) => {
      return webhook === undefined || delivery.webhook === webhook
    })
    return cancelled.map(([toDo, { delivery }]) => {
      this.#stopWaiting(toDo)
      delivery.changeStatus('cancelled')
      return delivery
    })
  }

  /** Gives up what is still to be sent of a delivery that is forgotten, and says so the first time. */
  giveUp(delivery: Delivery): void {
    const { size } = delivery.toDo
    for (const toDo of delivery.toDo) {
      if (this.#stopWaiting(toDo)) continue
      if (this.#queue.drop(delivery.webhook, toDo)) delivery.toDo.delete(toDo)
    }
    if (delivery.toDo.size === size) return
    delivery.changeStatus('cancelled')
    if (this.#hasGivenUp) return
    this.#hasGivenUp = true
    this.#options.engine.journal.note(
      `${formatEvent(delivery.event)} to ${delivery.webhook} is not sent: too many deliveries wait, and the oldest are forgotten first. Is its receiver slow?`,
      delivery.event.cause,
    )
  }

  /** Cancels everything that is queued, under way or waiting. */
  stop(): void {
    this.#stopped = true
    this.#queue.clear()
    this.#calls.stop()
    this.cancelWaiting()
  }

  /** Queues a delivery now, or at its moment. What fails is tried again as the webhook says. */
  #follow({ times, at, copy, ...rest }: ToDo, delivery: Delivery, webhook: LiveWebhook): void {
    if (at !== undefined) return this.#wait({ times, at, copy, ...rest }, delivery, webhook)
    for (let time = 1; time <= times; time++) {
      const toDo: ToDo = { times: 1, copy: time === 1 ? copy : time }
      delivery.toDo.add(toDo)
      const run = () => this.#attempt(delivery, webhook, toDo)
      this.#queue.add(webhook.rule.name, { run, toDo })
    }
  }

  #wait(toDo: ToDo & { at: number }, delivery: Delivery, webhook: LiveWebhook): void {
    const { clock } = this.#options.engine
    delivery.toDo.add(toDo)
    const { event, webhook: name, id: deliveryId, attempts } = delivery
    const which = nameOfSend(toDo, attempts)
    const facts: TaskFacts = {
      kind: 'delivery',
      describe: () => `${formatEvent(event)} to ${name}${which}`,
      deliveryId,
      jobId: event.jobId,
      cause: event.cause,
    }
    const task = clock.at(toDo.at, () => this.#endInVain(toDo, delivery), facts)
    this.#waiting.set(toDo, { delivery, webhook, task })
    this.#heldBack.add(toDo, delivery)
    if (clock.mode !== 'instant') return
    const { background } = this.#options.engine.journal
    void background.watch('move time to the next delivery', this.#skipTo(toDo))
  }

  /** Nobody moves an `instant` clock, so this moves it after the current task. */
  async #skipTo(toDo: ToDo & { at: number }): Promise<void> {
    this.#skipping++
    await Promise.resolve()
    this.#skipping--
    const { clock } = this.#options.engine
    if (this.#waiting.has(toDo)) clock.skipTo(Math.max(toDo.at, clock.now()))
  }

  /** The moment has come before what a delivery was held back for. */
  #endInVain(toDo: ToDo, { event, webhook }: Delivery): void {
    if (toDo.until !== undefined) {
      const missing = toDo.until === 'next' ? 'no other delivery' : 'no newer state'
      this.#options.engine.journal.note(
        `${formatEvent(event)} to ${webhook} keeps its place: ${missing} followed in time`,
        event.cause,
      )
    }
    this.#endWait(toDo)
  }

  #endWait(toDo: ToDo): void {
    const waiting = this.#stopWaiting(toDo)
    if (!waiting) return
    const { times, copy } = toDo
    const { delivery, webhook } = waiting
    this.#follow({ times, copy }, delivery, webhook)
    this.#options.changed(delivery, webhook)
  }

  #stopWaiting(toDo: ToDo): Waiting | undefined {
    const waiting = this.#waiting.get(toDo)
    if (!waiting) return undefined
    const { delivery, task } = waiting
    this.#waiting.delete(toDo)
    this.#heldBack.remove(toDo, delivery)
    delivery.toDo.delete(toDo)
    this.#options.engine.clock.cancel(task)
    return waiting
  }

  /**
   * Makes one attempt and records it. Without `toDo`, somebody asked for it, and it is not tried again. Returns undefined
   * if the world ends before it is over.
   */
  async #attempt(
    delivery: Delivery,
    webhook: LiveWebhook,
    toDo?: ToDo,
  ): Promise<Attempt | undefined> {
    const { rule } = webhook
    // What somebody sends again goes to where its webhook is now: the receiver may have moved.
    const url = toDo ? delivery.url : (rule.url ?? delivery.url)
    const entry = this.#open(delivery, url, toDo ? toDo.copy : copyOnRequest(delivery))
    if (!entry) return this.#cancel(delivery, toDo)
    const opened = { entry, delivery, webhook, toDo }
    try {
      const at = this.#options.engine.clock.now()
      const before = this.#signed
      const prepared = this.#preparation.of(delivery, webhook, at)
      // Its result is dropped: it would hold that of every attempt before.
      this.#signed = Promise.allSettled([before, prepared]).then(() => {})
      await before
      const { headers, body, failure } = await prepared
      const underWay = { entry, delivery, at: delivery.event.at, rule, url, headers, body }
      const sent = failure ?? (await this.#calls.call(rule, underWay, underWay))
      if (!failure && sent.status === 410) {
        webhook.disabled = `it answered 410, which disables a webhook. ${enableAgain(rule.name)}`
      }
      const changed = body === delivery.body ? {} : { sent: body }
      const { attempt: number, copy } = entry
      const moved = url === delivery.url ? {} : { url }
      return this.#finish({ number, copy, ...moved, at, headers, ...changed, ...sent }, opened)
    } catch (error) {
      return this.#broken(error, opened)
    }
  }

  /** Records an attempt that is over, and schedules the next one if it failed. */
  #finish(attempt: Attempt, { entry, delivery, webhook, toDo }: OpenAttempt): Attempt | undefined {
    delivery.attempts.push(attempt)
    if (this.#stopped) {
      this.#close(entry, delivery, CANCELLED)
      return this.#cancel(delivery, toDo)
    }
    if (toDo) delivery.toDo.delete(toDo)
    const failed = attempt.error !== undefined
    const wait = failed && toDo ? waitAfter(attempt, delivery, webhook) : undefined
    if (!failed) delivery.changeStatus('delivered')
    else if (toDo) delivery.changeStatus(wait === undefined ? 'failed' : 'pending')
    this.#close(entry, delivery, attempt, wait)
    this.#options.changed(delivery, webhook)
    if (wait !== undefined) {
      const { copy, at } = attempt
      this.#wait({ times: 1, copy, at: at + milliseconds(wait) }, delivery, webhook)
    }
    return attempt
  }

  /** The world ends before an attempt is over. */
  #cancel(delivery: Delivery, toDo: ToDo | undefined): undefined {
    if (!toDo) return
    delivery.toDo.delete(toDo)
    delivery.changeStatus('cancelled')
  }

  /** Ends an attempt that failed here, not at the receiver. It is not tried again, as it would fail again. */
  #broken(error: unknown, { delivery, webhook, toDo, entry }: OpenAttempt): Attempt {
    const { journal, clock } = this.#options.engine
    const what = `deliver ${formatEvent(delivery.event)} to ${delivery.webhook}`
    const why = journal.background.textOf(what, error)
    const { attempt: number, copy } = entry
    const known = delivery.attempts.find((each) => each.number === number)
    const broken = { number, copy, at: clock.now(), headers: {}, took: 0, error: why }
    if (!known) delivery.attempts.push(broken)
    if (toDo) {
      delivery.toDo.delete(toDo)
      delivery.changeStatus('failed')
    }
    if (isUnderWay(entry)) this.#close(entry, delivery, { error: why })
    journal.background.report(what, error, entry.id)
    journal.background.run('save a delivery', () => this.#options.changed(delivery, webhook))
    return known ?? broken
  }

  /** Opens the journal entry of an attempt, unless the world has ended. */
  #open(delivery: Delivery, url: string, copy: number | undefined): DeliveryEntry | undefined {
    if (this.#stopped) return undefined
    const { id: deliveryId, webhook, event, attempts } = delivery
    return this.#options.engine.journal.delivery({
      deliveryId,
      attempt: attempts.length + 1,
      copy,
      webhook,
      url: withoutCredentials(url),
      event: event.type,
      cause: event.cause,
      text: `${formatEvent(event)} to ${webhook}: under way`,
    })
  }

  #close(
    entry: DeliveryEntry,
    { event, webhook, attempts }: Delivery,
    { status, error, answer }: Pick<Attempt, 'status' | 'error' | 'answer'>,
    wait?: string,
  ): void {
    const again = wait === undefined ? '' : `; again in ${wait}`
    const before = attempts.filter(({ number }) => number < entry.attempt)
    const which = nameOfSend(entry, before)
    const shown: Redact = (text, about) => this.#redact(text, about, entry.id)
    const refusal = error === undefined ? '' : answerInOneLine(answer ?? '', shown)
    const outcome = `${status ?? error ?? ''} ${refusal}`.trimEnd()
    const text = `${formatEvent(event)} to ${webhook}${which}: ${outcome}${again}`
    this.#options.engine.journal.delivered(entry, { status, error, text })
  }

  /** Removes secrets from a text for people. If that fails, the delivery goes on without the text. */
  #redact(text: string, about?: RedactedText, cause?: number): string {
    if (text === '') return text
    const { redact, engine } = this.#options
    const what = 'remove secrets from what is shown of a delivery'
    return engine.journal.background.run(what, () => redact(text, about), cause) ?? NOT_SHOWN
  }
}

/** An attempt that is in the journal. */
interface OpenAttempt {
  readonly entry: DeliveryEntry
  readonly toDo: ToDo | undefined
  readonly delivery: Delivery
  readonly webhook: LiveWebhook
}

const NOT_SHOWN = '[not shown: its secrets cannot be removed]'

const CANCELLED = { error: `cancelled: ${WORLD_ENDED}` }

/** Returns how long after this attempt the next one follows; undefined if there is none. */
function waitAfter(
  { status, copy }: Attempt,
  { attempts }: Delivery,
  { rule, disabled }: LiveWebhook,
) {
  if (status === 410 || disabled !== undefined) return undefined
  // A copy does not use up the retries of the delivery.
  const made = attempts.filter((each) => each.copy === copy).length
  return rule.retries[made - 1]
}

/** Which copy a delivery is that somebody asks for again: an attempt, unless it was delivered. */
function copyOnRequest({ status, attempts }: Delivery): number | undefined {
  if (status !== 'delivered') return undefined
  return 1 + Math.max(1, ...attempts.map(({ copy = 1 }) => copy))
}

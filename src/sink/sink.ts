import { DISCONNECT, type ApiRequest, type Outcome } from '../contract/exchange.js'
import { toIso } from '../text/iso.js'
import { wallNow, wallPause } from '../clock/wall.js'
import { hmac, signatureForm } from '../signature/signature.js'
import type { Hmac } from '../signature/verify.js'
import {
  anyFunction,
  anyObject,
  aDuration,
  either,
  aFlag,
  nonEmptyText,
  Options,
  aSecret,
  aText,
  wholeNumber,
  type Table,
} from '../text/options.js'
import { secretsOption } from '../signature/secrets.js'
import { delayOf, ScriptedAnswers, type AddedAnswer, type ScriptedAnswer } from './answers.js'
import { Duplicates, type Arriving } from './duplicates.js'
import { inspect, type Expectations, type Inspected } from './inspection.js'
import { checkMatch, fits, shown, type DeliveryMatch } from './match.js'
import { nearestDelivery } from './nearest-delivery.js'
import { describeProbe, isProbe, type Probe } from './probe.js'
import { ReceivedDelivery } from './received-delivery.js'
import { SinkError } from './sink-error.js'
import { milliseconds } from '../text/duration.js'
import { patienceIn, waitUntil, type SinkWorld } from './waiting.js'

export interface SinkOptions extends Expectations {
  /** Refuses what is not as expected, as a careful receiver does. Default: all is taken, and judged. */
  readonly strict?: boolean | undefined
  /** The emulator that sends to it: its clock is followed, and its journal hears of what came. */
  readonly emulator?: SinkWorld | undefined
  /** Says what led to a delivery, where its sender is at hand. */
  readonly causedBy?: ((request: ApiRequest) => Cause | undefined) | undefined
  /** The header with the delivery id, which decides what is a duplicate. Default: `webhook-id`. */
  readonly idHeader?: string | undefined
  /** How many deliveries are held in memory, the latest. Default: 10,000. */
  readonly capacity?: number | undefined
}

/** What the emulator that sends to a sink says itself. */
export type SendersOwn = 'secrets' | 'known' | 'emulator' | 'causedBy'

export const receiversTable: Table<Omit<SinkOptions, SendersOwn>> = {
  ...signatureForm.table,
  header: nonEmptyText,
  token: aSecret,
  contentType: either((value) => value === false, aText),
  strict: aFlag,
  idHeader: nonEmptyText,
  capacity: wholeNumber({ least: 1 }),
}

export const sinkTable: Table<SinkOptions> = {
  ...receiversTable,
  secrets: secretsOption,
  known: secretsOption,
  emulator: anyObject,
  causedBy: anyFunction,
}

export interface Cause {
  /** The journal entry of the delivery, or of the event. */
  readonly entry?: number | undefined
  /** What is sent: the same object for each attempt of one delivery. It decides what is a duplicate. */
  readonly delivery?: object | undefined
  /** When the event was, in milliseconds since the epoch, on the clock that the sink follows. */
  readonly at: number
  /** What is due from this sender, where it is not what is due from others. */
  readonly expected?: Expectations | undefined
  /** The world that it comes from, where several send to one sink: its clock and journal count. */
  readonly emulator?: SinkWorld | undefined
}

/** What a platform adds. */
export interface SinkPlatform {
  readonly hmac?: Hmac | undefined
  /** Keeps a delivery for good; only then is it acknowledged. */
  readonly keep?: ((delivery: ReceivedDelivery) => Promise<void>) | undefined
  /** Where the count of what was kept before begins. */
  readonly kept?: number | undefined
  /** Passes a delivery on; what is answered there is answered here. */
  readonly forward?: ((request: ApiRequest) => Promise<Outcome>) | undefined
}

export interface DeliveryWaitOptions {
  /** How many are expected. Default: 1. */
  readonly count?: number
  /**
   * How long to wait, on the emulator's clock where there is one. Default: `4s`; where time stands
   * still and is skipped, `1h` of it.
   */
  readonly timeout?: string | number
}

export const deliveryWaitOptions = new Options<DeliveryWaitOptions>('sink.waitFor', {
  count: wholeNumber({ least: 1 }),
  timeout: aDuration,
})

export interface ExpectNoneOptions {
  /** How long none may come, on the emulator's clock if there is one. Default: no time at all. */
  readonly within?: string | number
}

export const expectNoneOptions = new Options<ExpectNoneOptions>('sink.expectNone', {
  within: aDuration,
})

interface Arrival {
  readonly request: ApiRequest
  readonly ordinal: number
  readonly at: number
  readonly cause: Cause | undefined
  readonly world: SinkWorld | undefined
}

/** Takes in webhooks, whoever sends them: records each, judges its signature, answers as told. */
export class SinkCore {
  readonly #options: SinkOptions
  readonly #platform: SinkPlatform
  readonly #answers = new ScriptedAnswers()
  readonly #duplicates: Duplicates
  readonly #listeners = new Set<(delivery: ReceivedDelivery) => void>()
  readonly #probeListeners = new Set<(probe: Probe) => void>()
  /** The probe that was announced, until a delivery arrives. */
  #announced: string | undefined
  readonly #capacity: number
  #deliveries: ReceivedDelivery[] = []
  #arrived: number
  #holding = 0

  constructor(options: SinkOptions, platform: SinkPlatform = {}) {
    this.#options = options
    this.#platform = platform
    this.#capacity = options.capacity ?? 10_000
    this.#duplicates = new Duplicates(options.idHeader ?? 'webhook-id', this.#capacity)
    this.#arrived = platform.kept ?? 0
  }

  /** What was received, oldest first. */
  get deliveries(): readonly ReceivedDelivery[] {
    return this.#deliveries.slice(-this.#capacity)
  }

  /** How many answers are held back, as it was told. */
  get holding(): number {
    return this.#holding
  }

  /** What was received and fits. */
  matching(match: DeliveryMatch = {}): ReceivedDelivery[] {
    checkMatch(match, 'sink.matching')
    return this.deliveries.filter((delivery) => fits(delivery, match))
  }

  /** Takes in one request and says what is answered; every transport ends here. */
  readonly receive = (request: ApiRequest): Outcome | Promise<Outcome> => {
    if (isProbe(request, this.#options.header)) return this.#answerProbe(request)
    this.#announced = undefined
    const cause = this.#options.causedBy?.(request)
    const world = cause?.emulator ?? this.#options.emulator
    const at = world?.clock.now() ?? wallNow()
    const arrival = { request, ordinal: ++this.#arrived, at, cause, world }
    const expected = cause?.expected ?? this.#options
    const inspected = inspect(request, expected, this.#platform.hmac ?? hmac)
    // There are thousands of good ones, which wait for nothing but their record.
    return inspected instanceof Promise
      ? inspected.then((settled) => this.#take(arrival, settled))
      : this.#take(arrival, inspected)
  }

  /** Answers deliveries in another way from now on. Throws `OptionsError`. */
  answer(scripted: ScriptedAnswer): AddedAnswer {
    return this.#answers.add(scripted)
  }

  /** Calls `listener` for each delivery, until the returned function is called. */
  subscribe(listener: (delivery: ReceivedDelivery) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls `listener` for a probe: a GET, HEAD or OPTIONS without a body and without a signature. A
   * probe that repeats is announced once, until a delivery arrives.
   *
   * @returns A function that ends the subscription.
   */
  subscribeToProbes(listener: (probe: Probe) => void): () => void {
    this.#probeListeners.add(listener)
    return () => this.#probeListeners.delete(listener)
  }

  /**
   * Waits until that many deliveries fit, and gives them all. Raises `SinkError`, which shows the
   * nearest one.
   */
  async waitFor(
    match: DeliveryMatch = {},
    options: DeliveryWaitOptions = {},
  ): Promise<ReceivedDelivery[]> {
    checkMatch(match, 'sink.waitFor')
    deliveryWaitOptions.check(options)
    const { count = 1, timeout = patienceIn(this.#options.emulator) } = options
    const done = (): boolean => this.matching(match).length >= count
    if (await this.#waitUntil(done, { limit: timeout, untilIdle: false }))
      return this.matching(match)
    const many = count === 1 ? 'a delivery' : `${count} deliveries`
    const some = `${this.matching(match).length} of ${this.deliveries.length} received fit`
    throw new SinkError(
      'SVTRAIN_NOT_RECEIVED',
      [
        `Failed to receive ${many} like ${shown(match)} in time (${shown(timeout)}): ${some}.`,
        nearestDelivery(this.deliveries, match),
        this.#standstill(),
      ]
        .filter((line) => line !== '')
        .join('\n'),
    )
  }

  /** Makes sure that none came, and that none comes `within` a time. Raises `SinkError`. */
  async expectNone(match: DeliveryMatch = {}, options: ExpectNoneOptions = {}): Promise<void> {
    checkMatch(match, 'sink.expectNone')
    expectNoneOptions.check(options)
    const { within = 0 } = options
    const came = (): boolean => this.matching(match).length > 0
    const unexpected =
      milliseconds(within) === 0
        ? came()
        : await this.#waitUntil(came, { limit: within, untilIdle: true })
    if (!unexpected) return
    const told = this.matching(match).map((delivery) => `  ${delivery.toString()}`)
    throw new SinkError(
      'SVTRAIN_UNEXPECTED_DELIVERY',
      [`Expected no delivery like ${shown(match)}, got ${told.length}:`, ...told].join('\n'),
    )
  }

  /** Forgets what was received, and the scripted answers. */
  clear(): void {
    this.#deliveries = []
    this.#duplicates.clear()
    this.#answers.clear()
  }

  #answerProbe({ method, path }: ApiRequest): Outcome {
    const probe: Probe = { method, path }
    const text = describeProbe(probe)
    if (text !== this.#announced) {
      this.#announced = text
      this.#options.emulator?.journal.note(`webhook sink: ${text}`)
      for (const listener of this.#probeListeners) listener(probe)
    }
    return answer(200, { ready: true, received: this.#arrived, note: PROBE_NOTE })
  }

  #take(arrival: Arrival, inspected: Inspected): Outcome | Promise<Outcome> {
    const { request, ordinal, at, cause, world } = arrival
    const arriving = { request, id: String(ordinal), delivery: cause?.delivery }
    const delivery = new ReceivedDelivery(request, {
      verdict: inspected.verdict,
      secret: inspected.secret,
      diagnosis: inspected.diagnosis,
      problems: inspected.problems,
      ordinal,
      at,
      ...this.#duplicates.add(arriving),
      cause: cause?.entry,
      latency: cause === undefined ? undefined : at - cause.at,
    })
    const kept = (): Outcome | Promise<Outcome> => {
      this.#record(delivery, world)
      return this.#answer(request, { delivery, inspected, world })
    }
    return this.#platform.keep?.(delivery).then(kept, () => this.#notKept(arriving)) ?? kept()
  }

  #notKept(arriving: Arriving): Outcome {
    // The sender will send it again.
    this.#duplicates.forget(arriving)
    return answer(503, { error: 'The delivery could not be written down.' })
  }

  #waitUntil(
    done: () => boolean,
    { limit, untilIdle }: { limit: string | number; untilIdle: boolean },
  ): Promise<boolean> {
    const subscribe = (listener: () => void): (() => void) => this.subscribe(listener)
    const wait = { done, limit: milliseconds(limit), untilIdle, subscribe }
    return waitUntil(wait, this.#options.emulator)
  }

  #standstill(): string {
    const clock = this.#options.emulator?.clock
    if (clock?.mode !== 'manual') return ''
    return `The clock is manual and stands at ${toIso(clock.now())}, with ${clock.pending} things due later: advance it.`
  }

  #record(delivery: ReceivedDelivery, world: SinkWorld | undefined): void {
    // Judging one may take longer than judging the next.
    const ordinal = Number(delivery.id)
    const later = this.#deliveries.findLastIndex(({ id }) => Number(id) < ordinal) + 1
    if (later === this.#deliveries.length) this.#deliveries.push(delivery)
    else this.#deliveries.splice(later, 0, delivery)
    if (this.#deliveries.length > 2 * this.#capacity) this.#deliveries = this.deliveries.slice()
    if (world) this.#tell(delivery, world)
    for (const listener of this.#listeners) listener(delivery)
  }

  /** In words only where there is somebody to read them: that takes reading the body. */
  #tell(delivery: ReceivedDelivery, { journal }: SinkWorld): void {
    const { id: recordId, verdict, cause, diagnosis } = delivery
    const why = diagnosis === undefined ? '' : `. ${diagnosis.text}`
    const text = `webhook sink: ${delivery.toString()}${why}`
    journal.receipt({ recordId, verdict, text, cause })
  }

  #answer(
    request: ApiRequest,
    { delivery, inspected, world }: Arrived,
  ): Outcome | Promise<Outcome> {
    const scripted = this.#answers.for(delivery)
    if (scripted) return this.#scripted(scripted, delivery, world)
    const refused = this.#options.strict === true || inspected.status === 413
    if (refused && inspected.status !== 200)
      return answer(inspected.status, acknowledgement(delivery))
    return this.#platform.forward?.(request) ?? answer(200, acknowledgement(delivery))
  }

  async #scripted(
    scripted: ScriptedAnswer,
    delivery: ReceivedDelivery,
    world: SinkWorld | undefined,
  ): Promise<Outcome> {
    const delay = delayOf(scripted)
    this.#holding++
    const inTime = world ? await world.engine.delayed.wait(delay) : await paused(delay)
    this.#holding--
    if (scripted.drop || !inTime) return DISCONNECT
    const { status = 200, headers, body = acknowledgement(delivery) } = scripted
    return answer(status, body, headers)
  }
}

const PROBE_NOTE =
  'This is a webhook sink. It records POST requests at any path; this request was not recorded.'

interface Arrived {
  delivery: ReceivedDelivery
  inspected: Inspected
  world: SinkWorld | undefined
}

async function paused(ms: number): Promise<true> {
  if (ms > 0) await wallPause(ms)
  return true
}

/** Told to the sender, whose log is often the first that is looked at. */
function acknowledgement({ id, verdict, diagnosis, problems }: ReceivedDelivery): unknown {
  const others = problems.length === 0 ? undefined : problems
  return { id, verdict, diagnosis: diagnosis?.text, problems: others }
}

function answer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Outcome {
  const isText = typeof body === 'string'
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  return {
    kind: 'response',
    status,
    headers: { 'content-type': type, ...headers },
    body: isText ? body : JSON.stringify(body),
  }
}

import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { showAs } from '../../base/text/show-as.js'
import { BackgroundErrors } from '../../base/text/background-errors.js'
import { counted } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import { LatestItems } from '../../base/text/latest-items.js'
import { shown } from '../../base/text/shown.js'
import { wallNow } from '../../base/clock/wall.js'
import { hmac } from '../signature/signature.js'
import { verdicts } from '../signature/verify.js'
import { Answering } from './answering.js'
import type { AddedAnswer, ScriptedAnswer } from './answers.js'
import { Duplicates, type Arriving } from './duplicates.js'
import { inspect, type InspectionResult } from './inspection.js'
import { checkMatch, matchesDelivery, nearestDelivery, type DeliveryMatch } from './match.js'
import { isProbe, Probes, READY_PATH, type Probe } from './probe.js'
import { ReceivedDelivery } from './received-delivery.js'
import { PROBE_NOTE, responseOf } from './responses.js'
import { SinkError } from './sink-error.js'
import {
  deliveryWaitOptions,
  expectNoneOptions,
  type Cause,
  type DeliveryWaitOptions,
  type ExpectNoneOptions,
  type SinkOptions,
  type SinkRuntime,
} from './sink-options.js'
import { milliseconds } from '../../base/text/duration.js'
import { PATIENCE, patienceIn, type SinkWorld, type WaitEnd } from './waiting.js'
import { Watches } from './watches.js'

interface Arrival {
  readonly request: ApiRequest
  readonly ordinal: number
  readonly at: number
  readonly cause: Cause | undefined
  readonly world: SinkWorld | undefined
}

/** Receives webhooks from any sender: it records each, verifies its signature, and answers as scripted. */
export class Sink {
  readonly #options: SinkOptions
  readonly #runtime: SinkRuntime
  readonly #answering: Answering
  readonly #duplicates: Duplicates
  readonly #listeners = new Set<(delivery: ReceivedDelivery) => void>()
  readonly #probes = new Probes()
  readonly #deliveries: LatestItems<ReceivedDelivery>
  readonly #watches = new Watches((listener) => this.subscribe(listener))
  /** The journal of the world that each delivery was received for. */
  readonly #worlds = new WeakMap<ReceivedDelivery, SinkWorld['journal']>()
  /** Errors that belong to no world. */
  readonly #background = new BackgroundErrors({ show: (error) => this.#tell(error.stack) })
  readonly #errorListeners = new Set<(text: string) => void>()
  #arrived: number

  constructor(options: SinkOptions, runtime: SinkRuntime) {
    this.#options = options
    this.#runtime = runtime
    const { capacity = 10_000, idHeader = 'webhook-id' } = options
    const bytesOf = ({ raw }: ReceivedDelivery): number => raw.length
    this.#deliveries = new LatestItems(capacity, { most: MOST_BYTES, bytesOf })
    this.#duplicates = new Duplicates(idHeader, capacity)
    this.#arrived = runtime.savedCount ?? 0
    showAs(this, 'Sink', () => ({ deliveries: this.deliveries }))
    this.#answering = new Answering({
      strict: options.strict === true,
      forward: runtime.forward,
      note: (text) => {
        if (this.#errorListeners.size > 0) this.#tell(text)
      },
    })
  }

  /** The deliveries that were received, oldest first; at most the latest `capacity`, and 128 MB of bodies. */
  get deliveries(): readonly ReceivedDelivery[] {
    return this.#deliveries.all
  }

  /**
   * How many responses a scripted answer delays at the moment.
   *
   * @internal
   */
  get holding(): number {
    return this.#answering.holding
  }

  /**
   * Returns the received deliveries that match, oldest first.
   *
   * @throws {OptionsError} When the pattern can't be used.
   * @example
   * const invalid = sink.matching({ verdict: 'invalid' })
   */
  matching(match: DeliveryMatch = {}): ReceivedDelivery[] {
    checkMatch(match, 'sink.matching')
    return this.deliveries.filter((delivery) => matchesDelivery(match, delivery))
  }

  /**
   * Receives one request and returns the response. Every transport ends here.
   *
   * @param cause What caused it, if the sender hands it over in this process.
   * @internal
   */
  readonly receive = (request: ApiRequest, cause?: Cause): Outcome | Promise<Outcome> => {
    const failed = (error: unknown): Outcome => {
      const background = this.background
      const what = `receive ${request.method} ${request.path}`
      background.report(what, error)
      return responseOf(500, { error: background.textOf(what, error) })
    }
    try {
      const received = this.#receive(request, cause)
      return received instanceof Promise ? received.catch(failed) : received
    } catch (error) {
      return failed(error)
    }
  }

  #receive(request: ApiRequest, known: Cause | undefined): Outcome | Promise<Outcome> {
    if (isProbe(request, this.#options.header)) return this.#answerProbe(request)
    this.#probes.over()
    const cause = known ?? this.#options.causedBy?.(request)
    const world = cause?.emulator ?? this.#options.emulator
    const at = world?.clock.now() ?? wallNow()
    const arrival = { request, ordinal: ++this.#arrived, at, cause, world }
    const expected = cause?.expected ?? this.#options
    const inspected = inspect(request, expected, this.#runtime.hmac ?? hmac)
    // Most deliveries are valid: they wait for nothing but their record.
    return inspected instanceof Promise
      ? inspected.then((settled) => this.#take(arrival, settled))
      : this.#take(arrival, inspected)
  }

  /**
   * Scripts the response to deliveries from now on.
   *
   * @returns A handle that counts the responses and removes the script.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * sink.answer({ match: { event: 'RUN_STATE' }, status: 503, times: 2 })
   */
  answer(scripted: ScriptedAnswer): AddedAnswer {
    return this.#answering.scripts.add(scripted)
  }

  /**
   * Calls `listener` for each delivery that is recorded.
   *
   * @returns A function that ends the subscription.
   * @example
   * const stop = sink.subscribe((delivery) => console.log(delivery.toString()))
   */
  subscribe(listener: (delivery: ReceivedDelivery) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls `listener` for a probe: a GET, HEAD or OPTIONS without a body and without a signature. A
   * probe that repeats is announced once, until a delivery arrives.
   *
   * @returns A function that ends the subscription.
   * @internal
   */
  subscribeToProbes(listener: (probe: Probe) => void): () => void {
    return this.#probes.subscribe(listener)
  }

  /**
   * Calls `listener` with each error of the sink itself that no journal has. Without a listener, the runtime
   * warns of it.
   *
   * @internal
   */
  subscribeToErrors(listener: (text: string) => void): void {
    this.#errorListeners.add(listener)
  }

  /**
   * Takes the errors of work that no call waits for: those of its emulator, or its own.
   *
   * @internal
   */
  get background(): BackgroundErrors {
    return this.#options.emulator?.journal.background ?? this.#background
  }

  #tell(text: string): void {
    if (this.#errorListeners.size === 0) this.#runtime.warn(text)
    for (const listener of this.#errorListeners) listener(text)
  }

  /**
   * Waits until `count` deliveries match.
   *
   * @param match A pattern, or a function. Default: any delivery.
   * @returns All deliveries that match by then, oldest first.
   * @throws {SinkError} When they do not arrive in time, or as soon as nothing in this process could cause them. The
   * message shows the nearest delivery.
   * @throws {OptionsError} When the pattern or an option can't be used.
   * @example
   * const [delivery] = await sink.waitFor({ event: 'RUN_STATE', body: { run_state: 'failed' } })
   */
  async waitFor(
    match: DeliveryMatch = {},
    options: DeliveryWaitOptions = {},
  ): Promise<ReceivedDelivery[]> {
    checkMatch(match, 'sink.waitFor')
    deliveryWaitOptions.check(options)
    const { emulator: world } = this.#options
    const { count = 1, timeout = patienceIn(world) } = options
    const watching = { count, limit: timeout, untilIdle: false, world }
    const { seen, end } = await this.#watches.wait(match, this.matching(match), watching)
    if (seen.length >= count) return seen
    const found = this.matching(match)
    if (found.length >= count) return found
    const wanted = count === 1 ? 'a delivery' : `${count} deliveries`
    const time = timeOf(end, timeout)
    const rest = end === 'over' ? ', and nothing that could cause another one is under way' : ''
    const matched = `${found.length} of ${this.deliveries.length} received match${rest}`
    const lines = [
      `Failed to receive ${wanted} like ${shown(match, MOST_SHOWN)}${time}: ${matched}.`,
      nearestDelivery(this.deliveries, match),
      standstillOf(world),
    ]
    throw new SinkError('SVTRAIN_NOT_RECEIVED', lines.filter((line) => line !== '').join('\n'))
  }

  /**
   * Checks that no delivery matches, now and `within` a time.
   *
   * @param match A pattern, or a function. Default: any delivery.
   * @throws {SinkError} When one matches.
   * @throws {OptionsError} When the pattern or an option can't be used.
   * @example
   * await sink.expectNone({ verdict: 'invalid' }, { within: '1m' })
   */
  async expectNone(match: DeliveryMatch = {}, options: ExpectNoneOptions = {}): Promise<void> {
    checkMatch(match, 'sink.expectNone')
    expectNoneOptions.check(options)
    const { within = 0 } = options
    const { emulator: world } = this.#options
    const watching = { count: 1, limit: within, untilIdle: true, world }
    const before = this.matching(match)
    // What matched counts also if the sink has dropped it since.
    const { seen: found } =
      milliseconds(within) > 0
        ? await this.#watches.wait(match, before, watching)
        : { seen: before }
    if (found.length === 0) return
    throw new SinkError(
      'SVTRAIN_UNEXPECTED_DELIVERY',
      [
        `Expected no delivery like ${shown(match, MOST_SHOWN)}, got ${found.length}:`,
        ...found.slice(0, MOST_LISTED).map((delivery) => `  ${delivery.toString()}`),
        ...(found.length > MOST_LISTED ? [`  … and ${found.length - MOST_LISTED} more`] : []),
      ].join('\n'),
    )
  }

  /**
   * Forgets the received deliveries and the scripted answers.
   *
   * @example
   * afterEach(() => sink.clear())
   */
  clear(): void {
    this.#deliveries.clear()
    this.#watches.keep(() => false)
    this.#duplicates.clear()
    this.#answering.scripts.clear()
  }

  /**
   * Forgets what was received for a world. Scripted answers stay. An emulator calls it at a reset.
   *
   * @internal
   */
  forgetWorld(journal: SinkWorld['journal']): void {
    const stays = (delivery: ReceivedDelivery): boolean => this.#worlds.get(delivery) !== journal
    const kept = this.deliveries.filter(stays)
    this.#deliveries.clear()
    for (const delivery of kept) this.#deliveries.add(delivery)
    this.#watches.keep(stays)
    if (journal === this.#options.emulator?.journal) this.#duplicates.clear()
  }

  #answerProbe({ method, path }: ApiRequest): Outcome {
    // A script may call it often, so it leaves no trace.
    if (path === READY_PATH) return responseOf(200, this.#readiness())
    this.#probes.announce({ method, path }, this.#options.emulator?.journal, this.background)
    return responseOf(200, { ready: true, received: this.#arrived, note: PROBE_NOTE })
  }

  #readiness(): unknown {
    const { deliveries } = this
    const counts = verdicts.map((verdict) => {
      return [verdict, deliveries.filter((each) => each.verdict === verdict).length]
    })
    const recorded = deliveries.length
    return { ready: true, received: this.#arrived, recorded, ...Object.fromEntries(counts) }
  }

  #take(arrival: Arrival, inspected: InspectionResult): Outcome | Promise<Outcome> {
    const { request, ordinal, at, cause, world } = arrival
    const arriving = { request, id: String(ordinal), delivery: cause?.delivery }
    const delivery = new ReceivedDelivery(request, {
      ...inspected,
      ordinal,
      at,
      ...this.#duplicates.add(arriving),
      cause: cause?.entry,
      deliveryId: cause?.deliveryId,
      latency: cause === undefined ? undefined : at - cause.at,
    })
    const saved = (): Outcome | Promise<Outcome> => {
      this.#record(delivery, world)
      return this.#answering.answer(request, { delivery, inspected, world })
    }
    return this.#runtime.save?.(delivery).then(saved, () => this.#notSaved(arriving)) ?? saved()
  }

  #notSaved(arriving: Arriving): Outcome {
    // The sender will send it again.
    this.#duplicates.forget(arriving)
    return responseOf(503, { error: 'The delivery could not be written down.' })
  }

  #record(delivery: ReceivedDelivery, world: SinkWorld | undefined): void {
    // A later delivery may be verified sooner.
    const ordinal = Number(delivery.id)
    this.#deliveries.add(delivery, ({ id }) => Number(id) > ordinal)
    if (world) this.#worlds.set(delivery, world.journal)
    this.#watches.add(delivery)
    if (world) this.#note(delivery, world)
    const background = world?.journal.background ?? this.background
    for (const listener of this.#listeners) {
      background.run('tell a listener of the sink', () => listener(delivery))
    }
  }

  /** Notes a delivery in the journal of its world. */
  #note(delivery: ReceivedDelivery, { journal }: SinkWorld): void {
    const { id: recordId, verdict, cause, diagnosis } = delivery
    const why = diagnosis === undefined ? '' : `. ${diagnosis.text}`
    const text = `webhook sink: ${delivery.toString()}${why}`
    journal.receipt({ recordId, verdict, text, cause })
  }
}

/** The most bytes of all bodies together. */
const MOST_BYTES = 128 * 1024 * 1024

/** The most deliveries that an error lists. */
const MOST_LISTED = 10

/** The most characters of a pattern in a message. */
const MOST_SHOWN = 400

/** For how long a wait went on. */
function timeOf(end: WaitEnd, timeout: string | number): string {
  if (end === 'late') return ` in time (${shown(timeout)})`
  return end === 'idle' ? ` in ${PATIENCE} of real time, in which the clock had nothing to do` : ''
}

/** Says that nobody moves the clock. Empty if that is not so. */
function standstillOf(world: SinkWorld | undefined): string {
  const clock = world?.clock
  if (clock?.mode !== 'manual') return ''
  return `The clock is manual and stands at ${toIso(clock.now())}, with ${counted(clock.pending, 'task')} scheduled later: advance it.`
}

import { operationIdIn } from '../../service/contract/operation-names.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type {
  DeliveryEntry,
  Journal,
  JournalEntry,
  RequestEntry,
} from '../../service/engine/journal.js'
import type { JobView } from '../../service/engine/journal-entry.js'
import type { Damage } from '../../service/scenario/faults/definition.js'
import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import type { SpoiledSteps } from '../../service/scenario/scenario.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import {
  LISTING,
  pageTroubles,
  READING,
  troublesOf,
  withoutWork,
  type PageKind,
} from './outcomes.js'

/** How clients use an operation. */
export interface OperationUse {
  /** How often they called it. */
  readonly calls: number
  /** The most calls between two resets. */
  readonly most: number
  /** How often it was at least the fourth call of a key within a second, so that rate limits refuse it. */
  readonly bursts: number
}

/** What was counted, by the ids of the behaviors and by operation. */
export interface CoverageTally {
  readonly counts: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, OperationUse>>
}

/** The parts of an emulator that are watched. */
export interface CoveredWorld {
  readonly journal: Journal
  /** A reset replaces it. */
  readonly engine: Engine
  readonly webhooks: { delivery(id: string): Delivery | undefined }
}

/**
 * Counts which behaviors clients meet, as it happens: the journal drops old entries. Its memory does not grow with the
 * number of requests. A reset of a world does not reset it.
 */
export class CoverageRecorder {
  readonly #counts = new Map<string, number>()
  readonly #uses = new Map<string, Use>()

  /** Counts what clients of a world meet from now on. */
  watch(world: CoveredWorld): void {
    const watch = new WorldWatch(world, this)
    world.journal.subscribe((entry) => watch.see(entry))
  }

  /** What was counted so far. */
  get tally(): CoverageTally {
    const operations: Record<string, OperationUse> = {}
    const counts = Object.fromEntries(this.#counts)
    for (const [name, { calls, most, bursts, successes }] of this.#uses) {
      operations[name] = { calls, most, bursts }
      if (successes > 0) counts[`${name}/success`] = successes
    }
    return { counts, operations }
  }

  /** @internal */
  count(id: string): void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
  }

  /** @internal */
  useOf(operation: string): Use {
    let use = this.#uses.get(operation)
    if (!use) this.#uses.set(operation, (use = { calls: 0, most: 0, bursts: 0, successes: 0 }))
    return use
  }
}

/** Counters that every request changes. To change a field is faster than to replace an entry of a map. */
interface Use {
  calls: number
  most: number
  bursts: number
  successes: number
}

/** What an operation was called since the last reset. */
interface RunUse {
  readonly use: Use
  calls: number
}

/** Three calls are allowed at once by the scenario `rate-limited`. */
const ALLOWED_AT_ONCE = 3
/** No further call is allowed within this time. In milliseconds. */
const BURST = 1000

/** What is counted of jobs, once for each job. */
const JOB_BEHAVIORS = [
  'stalled',
  'stuckInQueue',
  'stuck',
  'ended',
  'failed',
  'failedInQueue',
  'failedAtOnce',
  'failedLate',
  'endedWithoutSteps',
  'endedEarly',
  'withoutCheckpoint',
  'severalCheckpoints',
] as const
type JobBehavior = (typeof JOB_BEHAVIORS)[number]

function bitOf(behavior: JobBehavior): number {
  return 1 << JOB_BEHAVIORS.indexOf(behavior)
}

/** Watches one world. */
class WorldWatch {
  readonly #world: CoveredWorld
  readonly #recorder: CoverageRecorder
  /** Since the last reset. It is weak: a world that is reset and then not used must not keep its old engine. */
  #engine: WeakRef<Engine> | undefined
  #run = new Map<string, RunUse>()
  /** What was counted of a job, so that each job counts once. A bit stands for each of `JOB_BEHAVIORS`. */
  #counted = new WeakMap<Job, number>()
  /** How many checkpoints a job has added that is not over. */
  #checkpoints = new WeakMap<Job, number>()
  readonly #burst = { key: undefined as string | undefined, from: 0, calls: 0 }

  constructor(world: CoveredWorld, recorder: CoverageRecorder) {
    this.#world = world
    this.#recorder = recorder
  }

  see(entry: JournalEntry): void {
    const { engine } = this.#world
    if (engine !== this.#engine?.deref()) this.#begin(engine)
    if (entry.kind === 'request') this.#seeRequest(entry, engine)
    else if (entry.kind === 'delivery') this.#seeDelivery(entry, engine)
  }

  /** A new engine begins after a reset. */
  #begin(engine: Engine): void {
    this.#engine = new WeakRef(engine)
    this.#run = new Map()
    this.#counted = new WeakMap()
    this.#checkpoints = new WeakMap()
    this.#burst.key = undefined
    this.#burst.calls = 0
    this.#burst.from = -Infinity
    engine.events.subscribe((event) => {
      if (event.type !== 'checkpoint_added' || !event.job) return
      this.#checkpoints.set(event.job, (this.#checkpoints.get(event.job) ?? 0) + 1)
    })
  }

  #seeRequest(entry: RequestEntry, engine: Engine): void {
    const { status, lost, faults, jobView } = entry
    if (entry.operation === undefined) return
    const operation = operationIdIn(entry.operation)
    const use = this.#countCall(operation, entry)
    const isAnswer = lost === undefined && status !== undefined
    const isSuccess = isAnswer && status < 400
    if (isAnswer && !isSuccess) this.#recorder.count(`${operation}/${status}`)
    let isPlain = true
    if (faults.length > 0) isPlain = this.#seeFaults(entry, operation, engine)
    if (isSuccess && isPlain) use.successes++
    if (entry.response?.isStream) {
      this.#recorder.count(`streams/${STREAMS[lost ?? 'whole']}`)
    }
    if (LISTING.has(operation)) this.#seePage(entry, operation)
    if (jobView && isSuccess) this.#seeJob(jobView, engine)
  }

  #countCall(operation: string, { at, headers }: RequestEntry): Use {
    let run = this.#run.get(operation)
    if (!run) {
      run = { use: this.#recorder.useOf(operation), calls: 0 }
      this.#run.set(operation, run)
    }
    const { use } = run
    use.calls++
    if (++run.calls > use.most) use.most = run.calls
    const burst = this.#burst
    if (at - burst.from < BURST && at >= burst.from && headers.authorization === burst.key) {
      if (++burst.calls > ALLOWED_AT_ONCE) use.bursts++
    } else {
      burst.key = headers.authorization
      burst.from = at
      burst.calls = 1
    }
    return use
  }

  /** Returns whether the faults left the answer as it is. */
  #seeFaults({ faults, query }: RequestEntry, operation: string, engine: Engine): boolean {
    let isPlain = true
    const { all } = engine.faults
    for (const { id } of faults) {
      const rule = all.find((fault) => fault.id === id)?.rule
      if (!rule) continue
      const { damage, page } = faultDefinition(rule.fault)
      if (CHANGING.has(damage)) isPlain = false
      if (page && LISTING.has(operation))
        this.#seePageFault(rule.fault as PageKind, operation, query)
      for (const each of troublesOf(rule)) {
        const trouble = READING.has(operation) ? withoutWork(each) : each
        if (trouble) this.#recorder.count(`${operation}/${trouble}`)
      }
    }
    return isPlain
  }

  #seePageFault(kind: PageKind, operation: string, query: string): void {
    // A refused cursor is counted with its status.
    if (kind === 'page_stale' || (pageTroubles[kind].cursor && !hasCursor(query))) return
    this.#recorder.count(`pages/${operation}/${kind}`)
  }

  #seePage({ query, status, lost }: RequestEntry, operation: string): void {
    if (lost !== undefined || !hasCursor(query)) return
    if (status === 200) this.#recorder.count(`pages/${operation}/next`)
    if (status === 404) this.#recorder.count(`pages/${operation}/page_stale`)
  }

  #seeJob({ jobId, shown, over }: JobView, { store }: Engine): void {
    const job = store.jobs.get(jobId)
    if (!job) return
    if (shown) this.#seeEvents(job, shown)
    if (over) return this.#seeEnd(job)
    // One that waits for this poll goes on after it.
    if (job.stalled) return job.stalled.until ? undefined : this.#countOnce(job, 'stalled')
    const isItsTurn = store.model(job.model.id)?.currentJob === job
    if (job.over || job.upcoming || !isItsTurn) return
    this.#countOnce(job, job.started === undefined ? 'stuckInQueue' : 'stuck')
  }

  /** Events follow from their places: the start, then steps, then the end. */
  #seeEvents(job: Job, [from, end]: readonly [from: number, end: number]): void {
    const count = (type: string): void => this.#recorder.count(`events/${type}`)
    const to = Math.min(end, job.eventCount)
    const firstStep = job.started === undefined ? 0 : 1
    const lastStep = firstStep + job.gradientSteps
    if (from < firstStep) count('training_started')
    if (to > lastStep) count(job.status === 'failed' ? 'training_failed' : 'training_ended')
    const steps = {
      from: Math.max(from, firstStep) - firstStep + 1,
      to: Math.min(to, lastStep) - firstStep,
    }
    if (steps.to < steps.from) return
    count('gradient_step')
    this.#seeMetrics(job, steps)
  }

  #seeMetrics({ rule, submission }: Job, steps: { from: number; to: number }): void {
    let before = 0
    for (const step of rule.timeline) {
      if (step.event !== 'gradient_step') continue
      for (const spoiled of step.spoil) {
        const isShown = [spoiled.at].flat().some((at) => {
          return before + at >= steps.from && before + at <= steps.to
        })
        if (isShown) this.#recorder.count(`metrics/${kindOfValue(spoiled)}`)
      }
      before += step.count ?? submission.sequences
    }
  }

  #seeEnd(job: Job): void {
    const { status, gradientSteps, started, script } = job
    if (status !== 'ended' && status !== 'failed') return
    this.#countOnce(job, status)
    if (status === 'failed') {
      if (started === undefined) return this.#countOnce(job, 'failedInQueue')
      if (gradientSteps === 0) return this.#countOnce(job, 'failedAtOnce')
      if (gradientSteps >= script.numSequences) this.#countOnce(job, 'failedLate')
      return
    }
    if (gradientSteps === 0) this.#countOnce(job, 'endedWithoutSteps')
    else if (gradientSteps < script.numSequences) this.#countOnce(job, 'endedEarly')
    const added = this.#checkpoints.get(job) ?? 0
    if (job.checkpointStep === undefined) this.#countOnce(job, 'withoutCheckpoint')
    if (added > 1) this.#countOnce(job, 'severalCheckpoints')
    this.#checkpoints.delete(job)
  }

  #countOnce(job: Job, what: JobBehavior): void {
    const counted = this.#counted.get(job) ?? 0
    if ((counted & bitOf(what)) !== 0) return
    this.#counted.set(job, counted | bitOf(what))
    this.#recorder.count(`jobs/${job.kind}/${what}`)
  }

  #seeDelivery({ deliveryId, attempt, status = 0 }: DeliveryEntry, { store }: Engine): void {
    const delivery = this.#world.webhooks.delivery(deliveryId)
    if (!delivery) return
    const { event } = delivery
    if (delivery.status === 'failed') this.#recorder.count('webhooks/givenUp')
    // Otherwise nothing arrived.
    if (status > 0) for (const id of changesOf(delivery)) this.#recorder.count(`webhooks/${id}`)
    if (status < 200 || status > 299) return
    this.#recorder.count(attempt === 1 ? 'webhooks/acknowledged' : 'webhooks/retried')
    this.#recorder.count(`webhooks/${event.type}`)
    const job = event.type === 'RUN_STATE' ? store.jobs.get(event.jobId ?? '') : undefined
    if (job?.over) this.#seeEnd(job)
  }
}

/** What makes an answer with status 200 no success. */
const CHANGING: ReadonlySet<Damage | undefined> = new Set(['unreadable', 'changed', 'relabeled'])

const STREAMS = { whole: 'whole', disconnect: 'cut', hang: 'stalled' } as const

function hasCursor(query: string): boolean {
  return /(?:^|&)after=[^&]/.test(query)
}

/** What a bad value of a metric is. */
function kindOfValue({ with: bad }: SpoiledSteps): string {
  if (typeof bad === 'object') return 'text'
  return bad === '-Infinity' ? 'Infinity' : bad
}

/** What adversaries changed about a delivery. */
function* changesOf({ plan, tampering, attempts }: Delivery): Generator<string> {
  // Repetitions are attempts of the same delivery that follow a successful one.
  if (plan.times > 1 && attempts.length > 1) yield 'duplicate'
  if (plan.copies > 1) yield 'storm'
  if (plan.delay > 0) yield 'delayed'
  if (plan.held) yield plan.held.until === 'next' ? 'reordered' : 'late'
  if (tampering.secret === 'wrong') yield 'wrong_secret'
  else if (tampering.secret) yield 'old_secret'
  if (tampering.body) yield `${tampering.body}_body`
  if (tampering.unsigned) yield 'missing_signature'
}

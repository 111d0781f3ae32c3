import type { Journal, JournalEntry } from './engine/journal.js'
import { toldEntry } from './verification/told.js'
import type { Clock } from './world/clock.js'
import { toIso } from './world/iso.js'
import { parseDuration } from './world/duration.js'
import { nextTurn, wallNow, wallPause } from './world/wall.js'

export interface SettleOptions {
  /** The longest it may take of real time: `30s`, or milliseconds. Default: `10s`. */
  within?: string | number
  /** The most that may happen on the clock. Default: 1,000,000. */
  most?: number
  /**
   * Moves the timers of a client that runs under a test runner's fake ones, such as
   * `vi.advanceTimersByTimeAsync`. Called with milliseconds, whenever there is nothing else to do.
   */
  advanceTimers?: (ms: number) => unknown
}

/** What happened while a world came to rest. */
export interface SettleReport {
  /** The time on its clock before and after, in ISO 8601. */
  readonly from: string
  readonly to: string
  /** How many things happened on the clock. */
  readonly happened: number
  /** What was recorded meanwhile, oldest first. */
  readonly entries: readonly JournalEntry[]
  toString: () => string
}

/** The world, as far as settling it needs. */
export interface Settleable {
  readonly clock: Clock
  readonly journal: Journal
  /** How many requests are being answered. */
  readonly inFlight: number
  /** How many deliveries are on their way. */
  readonly webhooks: { readonly inFlight: number }
  /** The sink that belongs to it, and how many answers that holds back. */
  readonly sink?: { readonly holding: number } | undefined
}

/**
 * Raised where a world does not come to rest in time. Code `SVTRAIN_NOT_SETTLED`. `report` tells what
 * happened until then.
 */
export class SettleError extends Error {
  override readonly name = 'SettleError'
  readonly code = 'SVTRAIN_NOT_SETTLED'
  readonly report: SettleReport
  constructor(why: string, report: SettleReport) {
    super(`Failed to settle: ${why}\n${report.toString()}`)
    this.report = report
  }
}

const IDLE_TURNS = 3
/** Under `auto` it is clients who move time; only where none has asked for so long is it moved. */
const IDLE_MILLISECONDS = 20
const PATIENCE = 10_000

/**
 * Lets everything happen that is to come: moves virtual time from one thing to the next and lets
 * requests be answered, until nothing is left to do, or until `promise` settles where one is given.
 * Under the `real` clock it waits. Raises `SettleError` after a bound; it never rejects with what
 * `promise` rejects with.
 */
export async function settle(
  world: Settleable,
  promise?: Promise<unknown>,
  options: SettleOptions = {},
): Promise<SettleReport> {
  const { within = PATIENCE, most = 1_000_000, advanceTimers } = options
  const limit = typeof within === 'number' ? within : (parseDuration(within) ?? PATIENCE)
  const deadline = wallNow() + limit
  const start = { from: world.clock.now(), firstId: world.journal.nextId }
  const quiet = new Quiet(world.journal)
  const state = { settled: false }
  const note = (): void => void (state.settled = true)
  void promise?.then(note, note)
  let happened = 0
  const report = (): SettleReport => reportOn(world, { ...start, happened })

  for (;;) {
    await nextTurn()
    if (state.settled) return report()
    quiet.listen()
    const moved = mayMove(world, { promise, quiet }) ? moveOn(world.clock) : undefined
    if (moved !== undefined) {
      happened++
      quiet.stir()
      if (happened >= most) throw new SettleError(tooMuch(most), report())
      await advanceTimers?.(moved)
      continue
    }
    const atRest =
      world.inFlight === 0 && world.webhooks.inFlight === 0 && world.clock.pending === 0
    if (promise === undefined && atRest && quiet.turns >= IDLE_TURNS) return report()
    if (wallNow() > deadline) throw new SettleError(tooLong(world, { promise, limit }), report())
    if (advanceTimers) await advanceTimers(100)
    else await wallPause(1)
  }
}

/** How long nothing was recorded. */
class Quiet {
  turns = 0
  readonly #journal: Journal
  #heard: number
  #since = wallNow()

  constructor(journal: Journal) {
    this.#journal = journal
    this.#heard = journal.nextId
  }

  get milliseconds(): number {
    return wallNow() - this.#since
  }

  listen(): void {
    this.turns++
    if (this.#journal.nextId === this.#heard) return
    this.#heard = this.#journal.nextId
    this.stir()
  }

  stir(): void {
    this.turns = 0
    this.#since = wallNow()
  }
}

function mayMove(
  { clock, webhooks, sink }: Settleable,
  waiting: { promise: unknown; quiet: Quiet },
): boolean {
  // A delivery is answered at the moment at which it left, or retries would come when they please.
  // One that our own sink holds back is answered by the clock alone.
  const unanswered = webhooks.inFlight > 0 && !sink?.holding
  if (clock.mode === 'real' || unanswered) return false
  const clientMoves = waiting.promise !== undefined && clock.mode === 'auto'
  return !clientMoves || waiting.quiet.milliseconds > IDLE_MILLISECONDS
}

/** Does the next thing that is due. Returns by how many milliseconds time moved. */
function moveOn(clock: Clock): number | undefined {
  const before = clock.now()
  return clock.next() ? clock.now() - before : undefined
}

function tooMuch(most: number): string {
  return `${most} things happened on the clock, and there is more to come. Pass { most } for a longer run.`
}

function tooLong(
  { clock, inFlight, webhooks }: Settleable,
  { promise, limit }: { promise: unknown; limit: number },
): string {
  const left = `${inFlight} requests are being answered, ${webhooks.inFlight} deliveries are on their way, ${clock.pending} things are due later.`
  if (promise === undefined) return `no rest after ${limit} ms. ${left}`
  return `the promise is pending after ${limit} ms, and nothing is left to do for it. ${left} If your client sleeps between its polls, make its pause short, or run it under fake timers and pass { advanceTimers }.`
}

interface Since {
  from: number
  firstId: number
  happened: number
}

const MOST_TOLD = 20

function reportOn(
  { clock, journal }: Settleable,
  { from, firstId, happened }: Since,
): SettleReport {
  const entries = journal.entries.filter(({ id }) => id >= firstId)
  const span = { from: toIso(from), to: toIso(clock.now()) }
  return {
    ...span,
    happened,
    entries,
    toString() {
      const left = entries.length - MOST_TOLD
      const head = `From ${span.from} to ${span.to}, ${happened} things happened on the clock.`
      const more = left > 0 ? [`  … ${left} entries before these`] : []
      return [head, ...more, ...entries.slice(-MOST_TOLD).map(told)].join('\n')
    },
  }
}

function told(entry: JournalEntry): string {
  return `  ${toIso(entry.at)} ${toldEntry(entry)}`
}

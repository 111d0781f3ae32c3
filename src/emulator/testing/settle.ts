import { counted } from '../../base/text/counted.js'
import type { Journal } from '../../service/engine/journal.js'
import { reportOn, type SettleReport } from './settle-report.js'
import { tooLong } from './why-not-settled.js'
import type { Settleable } from './world.js'
import type { Clock } from '../../base/clock/clock.js'
import { milliseconds } from '../../base/text/duration.js'
import {
  anyFunction,
  checkArgument,
  aDuration,
  isPromise,
  valueKind,
  Options,
  OptionsError,
  wholeNumber,
} from '../../base/text/options.js'
import { FakeTimers, problemOfFakeTimers } from '../../base/clock/fake-timers.js'
import { nextTurn, wallNow, wallPause } from '../../base/clock/wall.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** The options of `settle`. */
export interface SettleOptions {
  /**
   * The longest time that it may take, in real time: `30s`, or milliseconds. Default: it rejects after 4 seconds in
   * which nothing happened, or only requests.
   */
  within?: string | number
  /** The most scheduled tasks that may run. Default: 1,000,000. */
  most?: number
  /**
   * Advances the fake timers of a test runner, such as `vi.advanceTimersByTimeAsync`, for a client that runs under
   * them. It is called with milliseconds whenever nothing else can happen. A `manual` clock keeps time with them; with
   * `auto`, polls move the clock ahead of them. Fake `clearTimeout`, too: Node's `fetch` clears timeouts.
   */
  advanceTimers?: (ms: number) => unknown
}

export const settleOptions = new Options<SettleOptions>('settle', {
  within: aDuration,
  most: wholeNumber({ least: 1 }),
  advanceTimers: anyFunction,
})

const promiseKind = valueKind(
  'a promise; options come second, as in settle(undefined, { within: "30s" })',
  isPromise,
)

function checkSettling(promise: unknown, options: SettleOptions): void {
  if (promise !== undefined) {
    checkArgument('settle', { name: 'its first argument', value: promise, kind: promiseKind })
  }
  settleOptions.check(options)
  const problem = options.advanceTimers && problemOfFakeTimers()
  if (problem) throw new OptionsError({ of: 'settle', path: 'advanceTimers' }, problem)
}

/**
 * Thrown when `settle` takes too long. `report` says what happened until then. Code
 * `SVTRAIN_NOT_SETTLED`.
 */
export class SettleError extends EmulatorError {
  override readonly name = 'SettleError'
  readonly code = 'SVTRAIN_NOT_SETTLED'
  /** What happened until then. */
  readonly report: SettleReport
  constructor(why: string, report: SettleReport) {
    super(`Failed to settle: ${why}\n${report.toString()}`)
    this.report = report
  }
}

const IDLE_TURNS = 3
/** With `auto`, clients move the clock. `settle` moves it after this time without a request, in which a client had turns. */
const IDLE_MILLISECONDS = 20
const IDLE_TURNS_OF_CLIENTS = 5
/** Shorter than the five seconds of test runners, so that our message is shown. */
const PATIENCE = 4000

/**
 * Runs everything that is scheduled: moves the virtual clock from task to task and waits for requests and
 * deliveries, until nothing is left to do, or until `promise` settles. With a `real` clock it waits.
 *
 * @param promise What the client does. Its rejection is ignored here: await it to see the error.
 * @throws {SettleError} When that takes too long.
 * @throws {OptionsError} When an argument can't be used.
 */
export async function settle(
  world: Settleable,
  promise?: Promise<unknown>,
  options: SettleOptions = {},
): Promise<SettleReport> {
  checkSettling(promise, options)
  const { most = 1_000_000, advanceTimers } = options
  const timers = advanceTimers && new FakeTimers(advanceTimers)
  const ran = ranTasks(world)
  const { clock } = world
  const start = { from: clock.now(), firstId: world.journal.nextId }
  const quiet = new Quiet(world.journal)
  const exceeded = exceededLimit(options, quiet)
  const state = { settled: false }
  const note = (): void => void (state.settled = true)
  void promise?.then(note, note)
  const report = (): SettleReport => {
    // A reset counts its entries from 1.
    const firstId = clock === world.clock ? start.firstId : 1
    return reportOn(world, { ...start, firstId, happened: ran() })
  }

  try {
    for (;;) {
      await nextTurn()
      if (state.settled) return report()
      quiet.listen()
      const moved = mayMove(world, { promise, quiet, timers }) ? moveOn(world.clock) : undefined
      if (moved !== undefined) {
        quiet.clockMoved()
        if (ran() >= most && world.clock.pending > 0) {
          const why = `${counted(most, 'scheduled task')} ran, and more are scheduled. Pass { most } for a longer run.`
          throw new SettleError(why, report())
        }
        timers?.follow(moved)
        continue
      }
      const atRest = isAnswered(world) && world.clock.pending === 0 && !timers?.areBehind
      if (promise === undefined && atRest && quiet.turns >= IDLE_TURNS) return report()
      const time = exceeded()
      if (time !== undefined) {
        throw new SettleError(tooLong(world, { promise, time, timers }), report())
      }
      if (timers) await advance(timers, { world, quiet })
      else await wallPause(1)
    }
  } finally {
    quiet.end()
  }
}

/** Returns what counts the tasks that run from now on, whoever moves the clock: `settle`, a client, or real time. */
function ranTasks(world: Settleable): () => number {
  const { clock: first } = world
  const before = first.ran
  return () => {
    const { clock } = world
    // After a reset the world has a new clock, and counts from there.
    return clock === first ? clock.ran - before : clock.ran
  }
}

/** Returns what names the limit in real time that was exceeded, in words; undefined before. */
function exceededLimit({ within }: SettleOptions, quiet: Quiet): () => string | undefined {
  const limit = within === undefined ? undefined : milliseconds(within)
  const begun = wallNow()
  return () => {
    if (limit !== undefined) return wallNow() - begun > limit ? `${limit} ms` : undefined
    return quiet.sinceProgress > PATIENCE ? `${PATIENCE} ms without progress` : undefined
  }
}

/** The most of a turn that counts, in milliseconds: on a busy machine, clients wait as long as we do. */
const MOST_OF_A_TURN = 20

/** Measures how long nothing was recorded, and how long nothing except requests: only time in which clients had their turns. */
class Quiet {
  turns = 0
  /** Since the last entry, or since the clock moved. */
  milliseconds = 0
  sinceProgress = 0
  readonly #journal: Journal
  #lastSeen: number
  #lastTurn = wallNow()
  readonly end: () => void

  constructor(journal: Journal) {
    this.#journal = journal
    this.#lastSeen = journal.nextId
    this.end = journal.subscribe((entry) => {
      if (entry.kind !== 'request') this.sinceProgress = 0
    })
  }

  listen(): void {
    const now = wallNow()
    const passed = Math.min(now - this.#lastTurn, MOST_OF_A_TURN)
    this.#lastTurn = now
    this.turns++
    this.milliseconds += passed
    this.sinceProgress += passed
    if (this.#journal.nextId === this.#lastSeen) return
    this.#lastSeen = this.#journal.nextId
    this.turns = 0
    this.milliseconds = 0
  }

  /** Notes that the clock moved. */
  clockMoved(): void {
    this.turns = 0
    this.milliseconds = 0
    this.sinceProgress = 0
  }
}

/** Advances the timers of the client by one step. A clock that only tests move moves with them. */
async function advance(
  timers: FakeTimers,
  { world, quiet }: { world: Settleable; quiet: Quiet },
): Promise<void> {
  if (timers.areBehind) quiet.clockMoved()
  if (!isAnswered(world) || quiet.turns === 0) timers.happened()
  const { clock, webhooks } = world
  await timers.step((ms) => {
    if (clock.mode !== 'manual' || webhooks.inFlight > 0) return
    clock.skipTo(clock.now() + ms)
    if (clock.pending > 0) quiet.clockMoved()
  })
}

/** Whether nothing is on its way to the client or from it. */
function isAnswered({ inFlight, webhooks }: Settleable): boolean {
  return inFlight === 0 && webhooks.inFlight === 0
}

function mayMove(
  { clock, webhooks, sink }: Settleable,
  waiting: { promise: unknown; quiet: Quiet; timers: FakeTimers | undefined },
): boolean {
  if (waiting.timers?.areBehind) return false
  // A delivery must be answered at the moment when it is sent: retries depend on it. If our own sink
  // delays the response, only the clock can bring it.
  const unanswered = webhooks.inFlight > 0 && !sink?.holding
  if (clock.mode === 'real' || unanswered) return false
  if (clock.mode === 'manual' && waiting.timers?.fireWithin(untilNextTask(clock))) return false
  const clientMoves = waiting.promise !== undefined && clock.mode === 'auto'
  const { turns, milliseconds: idle } = waiting.quiet
  return !clientMoves || (idle > IDLE_MILLISECONDS && turns >= IDLE_TURNS_OF_CLIENTS)
}

/** The milliseconds until the next scheduled task; `Infinity` if there is none. */
function untilNextTask(clock: Clock): number {
  return (clock.nextAt() ?? Infinity) - clock.now()
}

/** Runs the next scheduled task. Returns by how many milliseconds the clock moved. */
function moveOn(clock: Clock): number | undefined {
  const before = clock.now()
  return clock.next() ? clock.now() - before : undefined
}

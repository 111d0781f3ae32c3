import type { DelayedResponses } from '../../service/engine/delayed-responses.js'
import type { Journal } from '../../service/engine/journal.js'
import type { Clock } from '../../base/clock/clock.js'
import { milliseconds } from '../../base/text/duration.js'
import { Lookout } from '../../base/clock/lookout.js'
import { failingWith } from '../../base/text/background-errors.js'
import { cancelTimer, nextTurn, startTimer, wallNow, wallPause } from '../../base/clock/wall.js'

/** The parts of an emulator that a sink uses. */
export interface SinkWorld {
  /** The clock that waits and timestamps follow. */
  readonly clock: Clock
  /** The journal that gets an entry for each delivery. */
  readonly journal: Journal
  /** @internal */
  readonly engine: { readonly delayed: DelayedResponses }
  /** How many requests and deliveries are under way. */
  readonly inFlight: number
}

interface Wait {
  readonly done: () => boolean
  /** In milliseconds, on the clock of the world if there is one. */
  readonly limit: number
  /** Whether the wait ends when nothing is left to do. */
  readonly untilIdle: boolean
  /** Calls the listener when `done` may have changed, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
}

/** Shorter than the five seconds of test runners, so that our message is shown. */
export const PATIENCE = '4s'
/** Virtual time costs nothing. */
const VIRTUAL_PATIENCE = '1h'
const IDLE_MILLISECONDS = 20

/** Returns the default timeout. */
export function patienceIn(world: SinkWorld | undefined): string {
  return (world?.clock.mode ?? 'real') === 'real' ? PATIENCE : VIRTUAL_PATIENCE
}

/**
 * How a wait ended: as wished, after its limit, because a virtual clock had nothing to do for `PATIENCE` of real time, or
 * because what it waits for can't come any more.
 */
export type WaitEnd = 'done' | 'late' | 'idle' | 'over'

/**
 * Waits until `done` returns true, until that took too long, or until nothing could bring it about any more.
 * With an `auto` clock, it runs the next scheduled task when no client has called for a moment.
 */
export function waitUntil(wait: Wait, world: SinkWorld | undefined): Promise<WaitEnd> {
  if (!world || world.clock.mode === 'real') return waitForReal(wait, world)
  return waitVirtually(wait, world)
}

function waitForReal(
  { done, limit, subscribe }: Wait,
  world: SinkWorld | undefined,
): Promise<WaitEnd> {
  return new Promise((resolve, reject) => {
    const end = failingWith(reject, (otherwise: WaitEnd) => {
      stop()
      lookout.end()
      cancelTimer(timer)
      resolve(done() ? 'done' : otherwise)
    })
    const look = (): void => {
      if (done()) end('done')
    }
    const stop = subscribe(look)
    const timer = startTimer(limit / (world?.clock.speed ?? 1), () => end('late'))
    const lookout = new Lookout(world, () => end('over'))
    look()
  })
}

async function waitVirtually(wait: Wait, world: SinkWorld): Promise<WaitEnd> {
  const lookout = new Lookout(world)
  try {
    return await moveOnUntil(wait, world, lookout)
  } finally {
    lookout.end()
  }
}

async function moveOnUntil(
  { done, limit, untilIdle }: Wait,
  world: SinkWorld,
  lookout: Lookout,
): Promise<WaitEnd> {
  const { clock, journal } = world
  const deadline = clock.now() + limit
  const patience = Math.min(limit, milliseconds(PATIENCE))
  // The network takes real time, even if the clock is virtual. Each step of the clock may lead to calls.
  let lastCall = wallNow() + patience
  let quietSince = wallNow()
  let lastSeen = journal.nextId
  while (!done()) {
    await nextTurn()
    if (journal.nextId !== lastSeen) quietSince = wallNow()
    lastSeen = journal.nextId
    const at = clock.nextAt() ?? (untilIdle ? Infinity : undefined)
    const quiet = world.inFlight === 0 && wallNow() - quietSince > IDLE_MILLISECONDS
    const moves = clock.mode !== 'manual' && at !== undefined
    if (moves && quiet) {
      if (at > deadline) {
        clock.skipTo(deadline)
        break
      }
      clock.next()
      // Entries that the task made are not calls of a client.
      lastSeen = journal.nextId
      lastCall = wallNow() + patience
    } else if (!moves && lookout.isOver) return done() ? 'done' : 'over'
    else if (wallNow() > lastCall) {
      if (done() || patience === limit) break
      return 'idle'
    } else if (!done()) await wallPause(1)
  }
  return done() ? 'done' : 'late'
}

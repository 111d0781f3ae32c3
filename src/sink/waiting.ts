import type { DelayedResponses } from '../engine/delayed-responses.js'
import type { Journal } from '../engine/journal.js'
import type { Clock } from '../clock/clock.js'
import { milliseconds } from '../text/duration.js'
import { cancelTimer, nextTurn, startTimer, wallNow, wallPause } from '../clock/wall.js'

/** The world that sends to the sink, as an emulator has it. */
export interface SinkWorld {
  readonly clock: Clock
  readonly journal: Journal
  readonly engine: { readonly delayed: DelayedResponses }
  /** How many requests and deliveries are under way. */
  readonly inFlight: number
}

interface Wait {
  readonly done: () => boolean
  /** In milliseconds, on the world's clock where there is one. */
  readonly limit: number
  /** Whether it is over once nothing more is to come by itself. */
  readonly untilIdle: boolean
  /** Calls back whenever `done` may have changed, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
}

/** Shorter than the time that test runners give a test, so that they get to show what we say. */
const PATIENCE = '4s'
/** Of time that costs nothing, there is more. */
const VIRTUAL_PATIENCE = '1h'
const IDLE_MILLISECONDS = 20

/** How long to wait, in that world, if nobody says. */
export function patienceIn(world: SinkWorld | undefined): string {
  return isReal(world) ? PATIENCE : VIRTUAL_PATIENCE
}

function isReal(world: SinkWorld | undefined): boolean {
  return !world || world.clock.mode === 'real'
}

/**
 * Waits until something is done; false where it was not in time. Where time stands still and nobody
 * moves it by hand, it goes on to what is due once no client has called for a moment.
 */
export function waitUntil(wait: Wait, world: SinkWorld | undefined): Promise<boolean> {
  if (!world || world.clock.mode === 'real') return waitForReal(wait, world?.clock.speed ?? 1)
  return waitVirtually(wait, world)
}

function waitForReal({ done, limit, subscribe }: Wait, speed: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (inTime: boolean): void => {
      stop()
      cancelTimer(timer)
      resolve(inTime)
    }
    const look = (): void => {
      if (done()) end(true)
    }
    const stop = subscribe(look)
    const timer = startTimer(limit / speed, () => end(done()))
    look()
  })
}

async function waitVirtually({ done, limit, untilIdle }: Wait, world: SinkWorld): Promise<boolean> {
  const { clock, journal } = world
  const deadline = clock.now() + limit
  // What the network carries takes real time, whatever the clock says.
  const lastCall = wallNow() + Math.min(limit, milliseconds(PATIENCE))
  let quietSince = wallNow()
  let heard = journal.nextId
  while (!done()) {
    await nextTurn()
    if (journal.nextId !== heard) quietSince = wallNow()
    heard = journal.nextId
    const at = clock.nextAt() ?? (untilIdle ? Infinity : undefined)
    const quiet = world.inFlight === 0 && wallNow() - quietSince > IDLE_MILLISECONDS
    if (clock.mode !== 'manual' && quiet && at !== undefined) {
      if (at > deadline) {
        clock.advanceTo(deadline)
        return done()
      }
      clock.next()
      // What this led to is no client's doing.
      heard = journal.nextId
    } else if (wallNow() > lastCall) return done()
    else if (!done()) await wallPause(1)
  }
  return true
}

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
  /** In milliseconds, on the clock of the world if there is one. */
  readonly limit: number
  /** Whether the wait ends when nothing is scheduled any more. */
  readonly untilIdle: boolean
  /** Calls the listener when `done` may have changed, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
}

/** Shorter than the five seconds of test runners, so that our message is shown. */
const PATIENCE = '4s'
/** Virtual time costs nothing. */
const VIRTUAL_PATIENCE = '1h'
const IDLE_MILLISECONDS = 20

/** Returns the default timeout. */
export function patienceIn(world: SinkWorld | undefined): string {
  return isReal(world) ? PATIENCE : VIRTUAL_PATIENCE
}

function isReal(world: SinkWorld | undefined): boolean {
  return !world || world.clock.mode === 'real'
}

/**
 * Waits until something is done. Returns false if that took too long. On an `auto` clock it moves on to
 * the next scheduled task once no client has called for a moment.
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
  // The network takes real time, whatever the clock says.
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
      // Entries that this led to are not calls of a client.
      heard = journal.nextId
    } else if (wallNow() > lastCall) return done()
    else if (!done()) await wallPause(1)
  }
  return true
}

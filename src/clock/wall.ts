/**
 * Real time, and nothing else: what the clock builds on, and what the few things need that follow
 * the wall whatever the clock does (how long an answer took, a grace period at shutdown).
 */

// Taken when the module loads: a test runner's fake timers, switched on later, must not stop us.
const set = globalThis.setTimeout
const clear = globalThis.clearTimeout
// Browsers have no such thing; a timer of nothing is the nearest.
const immediate: (task: () => void) => unknown =
  (globalThis as { setImmediate?: typeof setImmediate }).setImmediate ?? ((task) => set(task, 0))
const elapsed = performance.now.bind(performance)
const ORIGIN = Date.now() - elapsed()

// Node's timers overflow beyond this many milliseconds and then fire at once.
const LONGEST_TIMER = 2 ** 31 - 1

export type WallTimer = ReturnType<typeof setTimeout>

/** Milliseconds since the epoch; steady, whatever is done to the system's clock meanwhile. */
export function wallNow(): number {
  return ORIGIN + elapsed()
}

/** How long ago that was, in milliseconds, to the hundredth: more digits are noise. */
export function wallSince(start: number): number {
  return Math.round((wallNow() - start) * 100) / 100
}

/** Calls `task` after `ms`, or after 24 days where that is sooner. */
export function startTimer(ms: number, task: () => void): WallTimer {
  return set(task, Math.min(ms, LONGEST_TIMER))
}

export function cancelTimer(timer: WallTimer | undefined): void {
  clear(timer)
}

/** Resolves after `ms` of real time. */
export function wallPause(ms: number): Promise<void> {
  return new Promise((resolve) => void startTimer(ms, resolve))
}

/** Calls `task` again and again, every `ms`; keeps no process alive. Returns what stops it. */
export function startBeat(ms: number, task: () => void): () => void {
  let timer: WallTimer
  const next = (): void => {
    timer = startTimer(ms, () => {
      next()
      task()
    })
    // In browsers a timer is a number, and keeps nothing alive.
    if (typeof timer === 'object') timer.unref()
  }
  next()
  return () => cancelTimer(timer)
}

/** Resolves once all that is under way has had a turn: promises, and what the disk has answered. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => immediate(resolve))
}

/** Returns a function that calls `task` once it has not been called itself for `ms`. */
export function debounced(ms: number, task: () => void): () => void {
  let timer: WallTimer | undefined
  return () => {
    cancelTimer(timer)
    timer = startTimer(ms, task)
  }
}

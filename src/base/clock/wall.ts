/**
 * Real time. The clock uses it, and so does code that always needs real time: to measure how long a response
 * took, or for a grace period at shutdown.
 */

// Read when the module loads, so that a test runner that fakes timers later does not stop the emulator.
const set = globalThis.setTimeout
const clear = globalThis.clearTimeout
// Browsers have no setImmediate. A timer of 0 ms comes close.
const immediate: (task: () => void) => unknown =
  (globalThis as { setImmediate?: typeof setImmediate }).setImmediate ?? ((task) => set(task, 0))
const elapsed = performance.now.bind(performance)
const ORIGIN = Date.now() - elapsed()

// Node's timers overflow beyond this many milliseconds and then fire at once.
const LONGEST_TIMER = 2 ** 31 - 1

export type WallTimer = ReturnType<typeof setTimeout>

/** Whether `setTimeout` is the one of the start. A test runner may fake it. */
export function setTimeoutIsReal(): boolean {
  return globalThis.setTimeout === set
}

/** Whether `clearTimeout` is the one of the start. */
export function clearTimeoutIsReal(): boolean {
  return globalThis.clearTimeout === clear
}

/** Returns milliseconds since the epoch. Changes of the system clock do not affect it. */
export function wallNow(): number {
  return ORIGIN + elapsed()
}

/** Returns milliseconds since the epoch as other code in this process sees them. A test runner may fake them. */
export function visibleNow(): number {
  return Date.now()
}

/** Returns the milliseconds since `start`, rounded to hundredths. */
export function wallSince(start: number): number {
  return Math.round((wallNow() - start) * 100) / 100
}

/** Calls `task` after `ms`, or after 24 days if `ms` is longer. */
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

/** Waits for `done`, but at most `ms` of real time. */
export async function withLimit(done: Promise<unknown>, ms: number): Promise<void> {
  let timer: WallTimer | undefined
  const late = new Promise<void>((resolve) => void (timer = startTimer(ms, resolve)))
  await Promise.race([done, late])
  cancelTimer(timer)
}

/** Calls `task` every `ms` without keeping the process alive. Returns a function that stops it. */
export function startBeat(ms: number, task: () => void): () => void {
  let timer: WallTimer
  const next = (): void => {
    timer = startTimer(ms, () => {
      next()
      task()
    })
    // In browsers a timer is a number.
    if (typeof timer === 'object') timer.unref()
  }
  next()
  return () => cancelTimer(timer)
}

/** Resolves after pending promises and finished disk operations have run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => immediate(resolve))
}

/** Returns a function. `task` runs once nobody has called that function for `ms`. */
export function debounced(ms: number, task: () => void): () => void {
  let timer: WallTimer | undefined
  return () => {
    cancelTimer(timer)
    timer = startTimer(ms, task)
  }
}

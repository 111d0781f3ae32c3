import { cancelTimer, startTimer } from '../../base/clock/wall.js'

/** The end of some work: when its time is over, or when one of the signals says so. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time was over. */
  readonly isLate: boolean
  /** Call it after the work. */
  readonly clear: () => void
}

/** Starts to count the milliseconds. */
export function deadline(ms: number, signals: readonly AbortSignal[]): Deadline {
  const end = new AbortController()
  let isLate = false
  const timer = startTimer(ms, () => {
    isLate = true
    end.abort()
  })
  const stop = (): void => end.abort()
  for (const signal of signals) {
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  }
  return {
    signal: end.signal,
    get isLate() {
      return isLate
    },
    clear() {
      cancelTimer(timer)
      for (const signal of signals) signal.removeEventListener('abort', stop)
    },
  }
}

import { cancelTimer, nextTurn, startTimer } from '../base/clock/wall.js'
import { shown } from '../base/text/shown.js'
import type { NodeEmulator } from '../compose/node-emulator.js'

/** How long code may run. */
export interface RunLimits {
  /** In milliseconds of real time. */
  readonly timeout: number
  readonly stopping: AbortSignal
}

/** How a run of code ended. */
type RunEnd = { ended: 'success' | 'timeout' } | { ended: 'error'; error: string }

/** Runs the code, but not longer than allowed. */
export async function endOf(
  code: () => unknown,
  { timeout, stopping }: RunLimits,
): Promise<RunEnd> {
  let give = (): void => {}
  const tooLong = new Promise<RunEnd>((resolve) => {
    give = () => resolve({ ended: 'timeout' })
  })
  const timer = startTimer(timeout, give)
  stopping.addEventListener('abort', give)
  if (stopping.aborted) give()
  // A function that is not async may throw at once.
  const run = (async (): Promise<RunEnd> => {
    try {
      await code()
      return { ended: 'success' }
    } catch (error) {
      return { ended: 'error', error: errorText(error) }
    }
  })()
  try {
    return await Promise.race([run, tooLong])
  } finally {
    cancelTimer(timer)
    stopping.removeEventListener('abort', give)
  }
}

function errorText(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : shown(error)
}

/** Code that ignores this many errors after its run has ended gets no more answers. */
const MOST_REFUSED = 100

/**
 * Makes each call give way to timers. Without that, code that polls without a pause would keep the timeout from
 * ending it.
 */
export function letOthersRun(emulator: NodeEmulator, over: AbortSignal): void {
  const { fetch } = emulator
  let refused = 0
  const value: typeof fetch = async (input, init) => {
    await nextTurn()
    if (over.aborted && refused++ >= MOST_REFUSED) await new Promise(() => {})
    return fetch(input, init)
  }
  Object.defineProperty(emulator, 'fetch', { value })
}

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useLive } from './use-live.js'

export interface Loaded<T> {
  value: T | undefined
  error: Error | undefined
  reload: () => void
}

/**
 * What `load` brings: now, when `key` changes, when the world was replaced, and on `reload`. While it
 * loads again, what was there stays; calls for more while one is under way make one more.
 */
export function useLoaded<T>(load: () => Promise<T>, key = ''): Loaded<T> {
  const epoch = useLive((live) => live.epoch)
  const [{ value, error, from }, setState] = useState<{ value?: T; error?: Error; from: string }>({
    from: key,
  })
  const flight = useRef({ load, run: 0, busy: false, again: false })
  flight.current.load = load

  const reload = useCallback(() => {
    const now = flight.current
    const go = async (run: number): Promise<void> => {
      const outcome = await outcomeOf(now.load)
      // Another key, or no page at all any more.
      if (run !== now.run) return
      setState((before) => ({ ...('error' in outcome ? before : {}), ...outcome, from: key }))
      now.busy = now.again
      now.again = false
      if (now.busy) await go(run)
    }
    if (now.busy) {
      now.again = true
      return
    }
    now.busy = true
    void go(now.run)
  }, [key])

  useEffect(() => {
    reload()
    return () => {
      flight.current.run++
      flight.current.busy = false
      flight.current.again = false
    }
  }, [reload, epoch])

  return from === key ? { value, error, reload } : { value: undefined, error: undefined, reload }
}

async function outcomeOf<T>(load: () => Promise<T>): Promise<{ value: T } | { error: Error }> {
  try {
    return { value: await load() }
  } catch (error) {
    return { error: error as Error }
  }
}

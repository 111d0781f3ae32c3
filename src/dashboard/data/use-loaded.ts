import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useLive } from './use-live.js'

export interface LoadState<T> {
  value: T | undefined
  error: Error | undefined
  reload: () => void
}

/**
 * Returns the value of `load`. It loads when the component appears, when `key` changes, after a reset, and
 * on `reload`. While it loads again, the old value stays. Calls of `reload` during a load cause one more
 * load.
 */
export function useLoaded<T>(load: () => Promise<T>, key = ''): LoadState<T> {
  const epoch = useLive((live) => live.epoch)
  const [{ value, error, from }, setState] = useState<{ value?: T; error?: Error; from: string }>({
    from: key,
  })
  const latest = useRef(load)
  latest.current = load
  // One object for each key and mount. A load that belongs to an earlier one changes nothing.
  const flight = useRef({ busy: false, again: false })

  const reload = useCallback(() => {
    const now = flight.current
    const go = async (): Promise<void> => {
      const outcome = await outcomeOf(latest.current)
      if (now !== flight.current) return
      setState((before) => ({ ...('error' in outcome ? before : {}), ...outcome, from: key }))
      now.busy = now.again
      now.again = false
      if (now.busy) await go()
    }
    if (now.busy) {
      now.again = true
      return
    }
    now.busy = true
    void go()
  }, [key])

  useEffect(() => {
    reload()
    return () => {
      flight.current = { busy: false, again: false }
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

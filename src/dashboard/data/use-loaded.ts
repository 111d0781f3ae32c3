import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useLive } from './use-live.js'
import { useReloadWhenOther } from './use-reload-on.js'

export interface LoadState<T> {
  value: T | undefined
  error: Error | undefined
  reload: () => void
}

/**
 * Returns the value of `load`. It loads when the component appears, when `key` or `state` changes, after a
 * reset, and on `reload`. While it loads again, the old value stays, but not that of another `key`. Calls of
 * `reload` during a load cause one more load.
 *
 * @param key - What is loaded: the id of a record.
 * @param state - What its value depends on: how many rows a record has.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  key = '',
  state?: string | number,
): LoadState<T> {
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
  useReloadWhenOther(state, reload)

  return from === key ? { value, error, reload } : { value: undefined, error: undefined, reload }
}

async function outcomeOf<T>(load: () => Promise<T>): Promise<{ value: T } | { error: Error }> {
  try {
    return { value: await load() }
  } catch (error) {
    return { error: error as Error }
  }
}

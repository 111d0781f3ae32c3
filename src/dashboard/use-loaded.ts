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
    if (now.busy) {
      now.again = true
      return
    }
    now.busy = true
    const run = now.run
    const done = (state: { value: T } | { error: Error }): void => {
      // Another key, or no page at all any more.
      if (run !== now.run) return
      now.busy = false
      setState((before) => ({ ...('error' in state ? before : {}), ...state, from: key }))
      if (!now.again) return
      now.again = false
      reload()
    }
    now.load().then(
      (loaded) => done({ value: loaded }),
      (problem: unknown) => done({ error: problem as Error }),
    )
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

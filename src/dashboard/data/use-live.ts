import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Live } from './live.js'

export const LiveContext = createContext<Live | undefined>(undefined)

/** Returns the store of the stream, for components that change it. */
export function useLiveStore(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('There is no stream around this component')
  return live
}

/** Returns the value that `select` picks from the stream. The component renders again when it changes. */
export function useLive<T>(select: (live: Live) => T): T {
  const live = useLiveStore()
  const picked = select(live)
  const last = useRef({ select, picked })
  last.current = { select, picked }
  const [, render] = useState({})
  useEffect(() => {
    const look = (): void => {
      if (!Object.is(last.current.select(live), last.current.picked)) render({})
    }
    // The value may have changed since the rendering.
    look()
    return live.subscribe(look)
  }, [live])
  return picked
}

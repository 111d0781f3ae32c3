import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Live } from './live.js'

export const LiveContext = createContext<Live | undefined>(undefined)

/** The stream's store, where it is to be acted upon. */
export function useLiveStore(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('There is no stream around this component')
  return live
}

/** What `select` picks from the stream; renders again when it picks another value. */
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
    // Something may have changed between the rendering and now.
    look()
    return live.subscribe(look)
  }, [live])
  return picked
}

import { useEffect, useRef } from 'preact/hooks'
import type { TimelineState } from '../../control/schemas.js'
import { call } from './control.js'
import { atFrame } from './live.js'
import { useLive } from './use-live.js'
import { useLoaded, type Loaded } from './use-loaded.js'

/** The most entries, and the most scheduled tasks, that are loaded. */
const MOST_LINES = 1000
/** The minimum time between two loads, in milliseconds. */
const PACE = 1000

/** The timeline of a job, or of the world. Loads again when something happened or is scheduled. */
export function useTimeline(job: string, limit = MOST_LINES): Loaded<TimelineState> {
  const loaded = useLoaded(() => {
    return call('GET /timeline', { query: { limit, ...(job !== '' && { job }) } })
  }, job)
  useReloadOnChange(loaded.reload, PACE)
  return loaded
}

/** Calls `reload` when the journal or the schedule of the clock has changed, at most once per `pace`. */
export function useReloadOnChange(reload: () => void, pace: number): void {
  const state = useLive(({ entries, clock }) => {
    return `${entries.at(-1)?.id} ${clock?.pending} ${clock?.next_at}`
  })
  const read = useRef<{ state: string; at: number }>({ state, at: -Infinity })
  useEffect(() => {
    if (state === read.current.state) return
    return atFrame(read.current.at + pace, (at) => {
      read.current = { state, at }
      reload()
    })
  }, [state, reload])
}

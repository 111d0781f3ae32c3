import type { TimelineState } from '../../emulator/control/schemas.js'
import { call } from './control.js'
import { useLoaded, type LoadState } from './use-loaded.js'
import { useReloadOnChange } from './use-reload-on.js'

/** The most entries, and the most scheduled tasks, that are loaded. */
const MOST_LINES = 1000
/** The minimum time between two loads, in milliseconds. */
const PACE = 1000

/** The timeline of a job, or of the world. Loads again when something happened or is scheduled. */
export function useTimeline(job: string, limit = MOST_LINES): LoadState<TimelineState> {
  const loaded = useLoaded(() => {
    return call('GET /timeline', { query: { limit, ...(job !== '' && { job }) } })
  }, job)
  useReloadOnChange(loaded.reload, PACE)
  return loaded
}

import type { Lineage } from '../../emulator/control/schemas/lineage.js'
import { call } from './control.js'
import { useLive } from './use-live.js'
import { useLoaded, type LoadState } from './use-loaded.js'
import { useReloadWhenOther } from './use-reload-on.js'

/** The most jobs that are loaded, the newest ones. */
export const MOST_LINEAGE_JOBS = 20

/** The minimum time between two loads, in milliseconds. */
const PACE = 1000

/**
 * What one job, or the newest jobs, were trained on. It is read again when there is another job, or when one
 * has another state or another checkpoint.
 */
export function useLineage(job?: string): LoadState<Lineage> {
  const query = job ? { job } : { limit: MOST_LINEAGE_JOBS }
  const loaded = useLoaded(() => call('GET /lineage', { query }), job)
  const state = useLive(({ jobs }) => {
    return [...jobs.values()].map((each) => `${each.status}${each.checkpoint_step}`).join()
  })
  useReloadWhenOther(state, loaded.reload, PACE)
  return loaded
}

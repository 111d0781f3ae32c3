import type { ControlDelivery as Delivery } from '../../emulator/control/schemas/deliveries.js'
import { call } from './control.js'
import { useLoaded, type LoadState } from './use-loaded.js'
import { useReloadOn } from './use-reload-on.js'

/** How many deliveries are listed. Each listing verifies all of them. */
export const MOST_DELIVERIES = 200

/** The latest deliveries, or those of a job, newest first. Reloads when more arrive. */
export function useDeliveries(job?: string): LoadState<Delivery[]> {
  const loaded = useLoaded(async () => {
    const query = { limit: MOST_DELIVERIES, ...(job !== undefined && { job }) }
    const { deliveries } = await call('GET /deliveries', { query })
    return deliveries.toReversed()
  }, job)
  useReloadOn(['delivery', 'receipt'], loaded.reload)
  return loaded
}

import type { ControlDelivery as Delivery } from '../control/schemas.js'
import { call } from './control.js'
import { useLoaded, type Loaded } from './use-loaded.js'
import { useReloadOn } from './use-reload-on.js'

/** How many are listed: each is verified anew. */
const MOST = 200

/** The latest deliveries, of a job where one is named, newest first; as they come. */
export function useDeliveries(job?: string): Loaded<Delivery[]> {
  const loaded = useLoaded(async () => {
    const query = { limit: MOST, ...(job !== undefined && { job }) }
    const { deliveries } = await call('GET /deliveries', { query })
    return deliveries.toReversed()
  }, job)
  useReloadOn(['delivery', 'receipt'], loaded.reload)
  return loaded
}

import { read } from './control.js'
import type { Delivery } from './control-shapes.js'
import { useLoaded, type Loaded } from './use-loaded.js'
import { useReloadOn } from './use-reload-on.js'

/** How many are listed: each is verified anew. */
const MOST = 200

/** The latest deliveries, of a job where one is named, newest first; as they come. */
export function useDeliveries(job?: string): Loaded<Delivery[]> {
  const loaded = useLoaded(async () => {
    const of = job === undefined ? '' : `&job=${encodeURIComponent(job)}`
    const { deliveries } = await read<{ deliveries: Delivery[] }>(`deliveries?limit=${MOST}${of}`)
    return deliveries.toReversed()
  }, job)
  useReloadOn(['delivery', 'receipt'], loaded.reload)
  return loaded
}

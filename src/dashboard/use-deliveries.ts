import { useEffect } from 'preact/hooks'
import { read } from './control.js'
import type { Delivery } from './control-shapes.js'
import { useLive } from './use-live.js'
import { useLoaded, type Loaded } from './use-loaded.js'

/** All deliveries, newest first; read again when the stream tells of another attempt or receipt. */
export function useDeliveries(): Loaded<Delivery[]> {
  const loaded = useLoaded(async () => {
    const { deliveries } = await read<{ deliveries: Delivery[] }>('deliveries')
    return deliveries.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
  })
  const { reload } = loaded
  const latest = useLive(({ entries }) => {
    return entries.findLast(({ kind }) => kind === 'delivery' || kind === 'receipt')?.id
  })
  useEffect(() => {
    if (latest !== undefined) reload()
  }, [latest, reload])
  return loaded
}

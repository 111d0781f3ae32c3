import type { ComponentChildren } from 'preact'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import type { TimelineItem } from '../../emulator/control/schemas/timeline.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { linkTo } from '../parts/link.js'
import { counted, figure } from '../parts/amounts.js'

/** How many deliveries are listed. */
const MOST_DELIVERIES = 20

/** What the request did in the emulator, and the deliveries that followed. */
export function Effects({ of: detail }: { of: RequestDetail }): ComponentChildren {
  const { effects, cause, caused, job_id: job } = detail
  const items = useCaused(detail)
  const deliveries = items.filter(({ kind }) => kind === 'delivery')
  if (effects.length === 0 && cause === null && caused.length === 0) return null
  return (
    <section class="effects stack" aria-label="What it did">
      <h2>What it did</h2>
      {typeof cause === 'number' && <p>It was caused by entry {figure(cause)}.</p>}
      <ul class="stack">
        {effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
        {deliveries.slice(0, MOST_DELIVERIES).map(({ id, text, delivery_id }) => (
          <li key={id}>
            delivery{' '}
            {delivery_id === null ? text : linkTo({ page: 'delivery', id: delivery_id }, text)}
          </li>
        ))}
        {deliveries.length > MOST_DELIVERIES && (
          <li>
            and {counted(deliveries.length - MOST_DELIVERIES, 'more delivery', 'more deliveries')}
          </li>
        )}
      </ul>
      {caused.length > 0 && (
        <p>
          It caused {counted(Math.max(items.length, caused.length), 'entry', 'entries')} in all:{' '}
          {linkTo({ page: 'timeline' }, 'timeline', job === null ? {} : { job })}
        </p>
      )}
    </section>
  )
}

/** The most entries of a timeline that are read. */
const MOST_ITEMS = 10_000

/** The entries that a request caused, directly and through other entries. */
function useCaused({ id, job_id: job, caused }: RequestDetail): TimelineItem[] {
  const none = caused.length === 0
  const { value = [] } = useLoaded(
    async () => {
      if (none) return []
      const query = { limit: MOST_ITEMS, ...(job !== null && { job }) }
      return (await call('GET /timeline', { query })).entries
    },
    String(id),
    caused.length,
  )
  const known = new Set<number | null>([id])
  // Causes come before their effects.
  return value.filter(({ id: entry, cause, scheduled }) => {
    if (scheduled || cause === null || !known.has(cause)) return false
    known.add(entry)
    return true
  })
}

import type { ComponentChildren } from 'preact'
import type { ControlDelivery as Delivery } from '../control/schemas.js'
import { LiveTable } from './live-table.js'
import { hrefOf } from './routes.js'
import { Badge, figure, Moment, shortId, type Tone } from './wording.js'

const COLUMNS = [
  ['Delivery', 'w-id'],
  ['At', 'w-time'],
  ['Event', 'w-event'],
  ['Webhook', 'w-name'],
  ['State', 'w-state'],
  ['Attempts', 'w-number'],
  ['Status', 'w-short'],
  ['Signature', 'w-state'],
  ['Response', 'w-grow'],
] as const

export type Attempt = Delivery['attempts'][number]

interface DeliveryTableProps {
  deliveries: readonly Delivery[]
  empty: ComponentChildren
  view?: string
  children: ComponentChildren
}

export function DeliveryTable({ deliveries, ...rest }: DeliveryTableProps): ComponentChildren {
  return (
    <LiveTable
      label="Deliveries"
      columns={COLUMNS}
      rows={deliveries}
      keyOf={({ id }) => id}
      row={deliveryRow}
      {...rest}
    />
  )
}

function deliveryRow(delivery: Delivery): ComponentChildren {
  const { id, created_at, event, webhook, attempts } = delivery
  const last = attempts.at(-1)
  const answer = last ? responseText(last) : ''
  return (
    <tr key={id}>
      <td class="mono">
        <a href={hrefOf({ page: 'delivery', id })}>{shortId(id)}</a>
      </td>
      <td class="mono">
        <Moment at={created_at} />
      </td>
      <td class="mono clipped" title={event}>
        {event}
      </td>
      <td class="clipped" title={webhook}>
        {webhook}
      </td>
      <td>
        <DeliveryState delivery={delivery} />
      </td>
      <td class="number">{figure(attempts.length)}</td>
      <td class="mono">{last && (last.status ?? 'none')}</td>
      <td>
        <Verdict of={delivery} />
      </td>
      <td class="clipped" title={answer}>
        {answer}
      </td>
    </tr>
  )
}

/** The error of an attempt and its response, as far as there are any. */
export function responseText({ error, response_excerpt }: Attempt): string {
  return [error, response_excerpt].filter(Boolean).join(' – ')
}

export function DeliveryState({ delivery }: { delivery: Delivery }): ComponentChildren {
  const tones: Record<string, Tone> = { delivered: 'good', failed: 'bad' }
  return <Badge tone={tones[delivery.state] ?? 'busy'}>{delivery.state}</Badge>
}

export function Verdict({ of: { verdict } }: { of: Pick<Delivery, 'verdict'> }): ComponentChildren {
  if (!verdict) return <span class="faint">–</span>
  const tones: Record<string, Tone> = { valid: 'good', invalid: 'bad', missing: 'bad' }
  return <Badge tone={tones[verdict] ?? 'warn'}>{verdict}</Badge>
}

interface HeaderListProps {
  of: Readonly<Record<string, string>>
}

/** The headers of a delivery, one per line. */
export function HeaderList({ of: headers }: HeaderListProps): ComponentChildren {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <h2>Headers</h2>
      <pre>{lines.join('\n')}</pre>
    </>
  )
}

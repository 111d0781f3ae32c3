import type { ComponentChildren } from 'preact'
import type { ControlDelivery as Delivery } from '../../emulator/control/schemas.js'
import { CopyButton } from './copy-button.js'
import { prettyJson } from './json-text.js'
import { LiveTable, type Column } from './live-table.js'
import { hrefOf } from '../routes.js'
import { Badge, figure, Moment, shortId, type Tone } from './wording.js'

const COLUMNS: readonly Column<Delivery>[] = [
  ['Delivery', 'w-id', ({ id }) => <a href={hrefOf({ page: 'delivery', id })}>{shortId(id)}</a>],
  ['At', 'w-time', (of) => <Moment at={of.created_at} />, { sort: createdAt, wide: true }],
  ['Event', 'w-event mono clipped', ({ event }) => event, { sort: true }],
  ['Webhook', 'w-name clipped', ({ webhook }) => webhook, { sort: true, wide: true }],
  ['State', 'w-state', (of) => <DeliveryState delivery={of} />, { sort: ({ state }) => state }],
  ['Attempts', 'w-number', (of) => figure(attemptsOf(of)), { sort: attemptsOf, wide: true }],
  ['Status', 'w-status mono', statusText, { sort: statusOf, wide: true }],
  ['Signature', 'w-state', (of) => <Verdict of={of} />, { sort: (of) => of.verdict, wide: true }],
  ['Response', 'w-grow clipped', latestResponse, { wide: true }],
]

function createdAt({ created_at }: Delivery): string {
  return created_at
}

function attemptsOf({ attempts }: Delivery): number {
  return attempts.length
}

function statusOf({ attempts }: Delivery): number | null | undefined {
  return attempts.at(-1)?.status
}

function statusText(delivery: Delivery): string | number | undefined {
  const status = statusOf(delivery)
  return status === null ? 'none' : status
}

function latestResponse({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last ? responseText(last) : ''
}

export type Attempt = Delivery['attempts'][number]

interface DeliveryTableProps {
  deliveries: readonly Delivery[]
  empty: ComponentChildren
  error?: Error | undefined
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
      {...rest}
    />
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

/** A body: pretty if it is JSON, and as it was sent. The signature is over the bytes as they were sent. */
export function BodyText({ of: body, title }: { of: string; title: string }): ComponentChildren {
  const pretty = prettyJson(body)
  return (
    <>
      <div class="line">
        <h2>{title}</h2>
        <CopyButton text={body} what={`the ${title.toLowerCase()}`} />
      </div>
      <pre tabIndex={0}>{body}</pre>
      {pretty !== undefined && pretty !== body && (
        <>
          <h2>Body, indented</h2>
          <pre tabIndex={0}>{pretty}</pre>
        </>
      )}
    </>
  )
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
      <pre tabIndex={0}>{lines.join('\n')}</pre>
    </>
  )
}

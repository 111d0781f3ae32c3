import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ControlDelivery as Delivery } from '../../emulator/control/schemas/deliveries.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import type { RecordPage } from '../kit/detail.js'
import { HeaderList } from '../kit/http-message.js'
import { LiveTable, type Column, type RowDetails } from '../kit/table.js'
import { column } from '../kit/value.js'
import { ActionButton } from '../parts/action-button.js'
import { linkTo } from '../parts/link.js'
import { State } from '../parts/state.js'
import { Name } from '../parts/facts.js'
import { responseText, type Attempt } from './deliveries-page.js'

/** One delivery: its attempts, why its signature is wrong, and what was sent. */
export const DELIVERY: RecordPage<Delivery> = {
  thing: 'delivery',
  list: 'deliveries',
  load: (id) => call('GET /deliveries/{delivery_id}', { params: { delivery_id: id } }),
  after: ['delivery', 'receipt'],
  title: ({ text, state }) => (
    <>
      <Name of={text} /> <State of={state} />
    </>
  ),
  without: ['event', 'text', 'state', 'webhook', 'job_id', 'verdict', 'diagnosis', 'attempts'],
  names: { body: 'Body, as sent' },
  About: Summary,
  Above: Attempts,
  drawn: { headers: ({ of }) => <HeaderList of={of.headers} /> },
}

function Summary({ of: { webhook, verdict, diagnosis, job_id } }: { of: Delivery }) {
  return (
    <>
      <p>
        to{' '}
        <b>
          <Name of={webhook} />
        </b>
        {job_id && <>, caused by {linkTo({ page: 'job', id: job_id }, 'its job')}</>}
      </p>
      <p>Signature {verdict === null ? '–' : <State of={verdict} />}</p>
      {diagnosis !== null && <p>{diagnosis}</p>}
    </>
  )
}

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  column('attempt', { heading: 'No.', look: 'w-index' }),
  column('at'),
  ['Status', 'w-status mono', ({ status }) => status ?? 'none'],
  column('took', { wide: true }),
  ['Response', 'w-grow mono', responseText, { wide: true }],
]

interface AttemptsProps {
  of: Delivery
  reload: () => void
}

function Attempts({ of: delivery, reload }: AttemptsProps): ComponentChildren {
  const records = useSinkRecords(delivery)
  const details = useMemo(
    (): RowDetails<Attempt> => ({
      idOf: ({ attempt }) => `attempt-${attempt}`,
      show: (made) => <AttemptDetails of={made} record={records[made.attempt]} />,
    }),
    [JSON.stringify(records)],
  )
  const resend = (): Promise<unknown> =>
    call('POST /deliveries/{delivery_id}/resend', { params: { delivery_id: delivery.id } })
  return (
    <>
      <section class="actions" aria-label="Actions">
        <ActionButton act={resend} done={reload}>
          Resend
        </ActionButton>
      </section>
      <LiveTable
        label="Attempts"
        columns={ATTEMPT_COLUMNS}
        rows={delivery.attempts.toReversed()}
        keyOf={({ attempt }) => attempt}
        details={details}
        empty={<p>Not sent yet. Step the clock, or wait.</p>}
        heading
      />
    </>
  )
}

/** The most entries of the journal that are searched. */
const MOST_ENTRIES = 10_000

/** The records of the sink, by the number of the attempt that they received. */
function useSinkRecords({ id, attempts }: Delivery): Readonly<Record<number, string>> {
  const { value = {}, reload } = useLoaded(
    async () => {
      if (attempts.length === 0) return {}
      // After a restore, nothing links a delivery to its job.
      const { entries } = await call('GET /timeline', { query: { limit: MOST_ENTRIES } })
      const sent = entries.filter(
        ({ kind, delivery_id }) => kind === 'delivery' && delivery_id === id,
      )
      const receipts = entries.filter(({ kind }) => kind === 'receipt')
      const received = new Map(receipts.map(({ cause, record_id }) => [cause, record_id]))
      return Object.fromEntries(
        sent.flatMap(({ id: entry, attempt }) => {
          const record = received.get(entry)
          return record && attempt !== null ? [[attempt, record]] : []
        }),
      )
    },
    id,
    attempts.length,
  )
  useReloadOn(['receipt'], reload)
  return value
}

interface AttemptDetailsProps {
  of: Attempt
  /** The record of the sink that received it. */
  record: string | undefined
}

function AttemptDetails({ of, record }: AttemptDetailsProps): ComponentChildren {
  return (
    <>
      {record !== undefined && (
        <p>
          Received as{' '}
          {linkTo({ page: 'sink' }, `record ${record} of the sink`, { open: `record-${record}` })}
        </p>
      )}
      <pre tabIndex={0}>{responseText(of) || 'The response had no body.'}</pre>
    </>
  )
}

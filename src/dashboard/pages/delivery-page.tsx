import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ControlDelivery as Delivery } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import {
  BodyText,
  responseText,
  DeliveryState,
  HeaderList,
  Verdict,
  type Attempt,
} from '../parts/delivery-table.js'
import { linkTo } from '../parts/link.js'
import { LiveTable, type Column, type RowDetails } from '../parts/live-table.js'
import { Loaded, Page } from '../parts/page.js'
import { ActionButton } from '../parts/action-button.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { figure, milliseconds, Moment, Name } from '../parts/wording.js'

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  ['No.', 'w-index', ({ attempt }) => figure(attempt)],
  ['At', 'w-time', ({ at }) => <Moment at={at} />],
  ['Status', 'w-status mono', ({ status }) => status ?? 'none'],
  ['Took', 'w-took', ({ took }) => milliseconds(took), { wide: true }],
  ['Response', 'w-grow mono clipped', responseText, { wide: true }],
]

export function DeliveryPage({ id }: { id: string }): ComponentChildren {
  const params = { delivery_id: id }
  const loaded = useLoaded(() => call('GET /deliveries/{delivery_id}', { params }), id)
  useReloadOn(['delivery', 'receipt'], loaded.reload)
  return (
    <Loaded of={loaded} what="delivery">
      {(delivery) => <DeliveryDetails of={delivery} reload={loaded.reload} />}
    </Loaded>
  )
}

interface DeliveryProps {
  of: Delivery
  reload: () => void
}

function DeliveryDetails({ of: delivery, reload }: DeliveryProps): ComponentChildren {
  const { id, event, attempts, headers, body } = delivery
  const records = useRecords(delivery)
  const details = useMemo(
    (): RowDetails<Attempt> => ({
      idOf: ({ attempt }) => `attempt-${attempt}`,
      show: (made) => <AttemptDetails of={made} record={records[made.attempt]} />,
    }),
    [JSON.stringify(records)],
  )
  const resend = (): Promise<unknown> =>
    call('POST /deliveries/{delivery_id}/resend', { params: { delivery_id: id } })
  const title = (
    <>
      {event} <DeliveryState delivery={delivery} />
    </>
  )
  return (
    <Page title={title} summary={<Summary of={delivery} />}>
      <section class="actions" aria-label="Actions">
        <ActionButton act={resend} done={reload}>
          Resend
        </ActionButton>
      </section>
      <LiveTable
        label="Attempts"
        columns={ATTEMPT_COLUMNS}
        rows={attempts.toReversed()}
        keyOf={({ attempt }) => attempt}
        details={details}
        empty={<p>Not sent yet. Step the clock, or wait.</p>}
      >
        <h2>Attempts</h2>
      </LiveTable>
      <HeaderList of={headers} />
      <BodyText of={body} title="Body, as sent" />
    </Page>
  )
}

function Summary({ of: delivery }: { of: Delivery }): ComponentChildren {
  const { id, webhook, diagnosis, job_id } = delivery
  return (
    <>
      <p>
        to{' '}
        <b>
          <Name of={webhook} />
        </b>
        , <code>{id}</code>
        {job_id && <>, caused by {linkTo({ page: 'job', id: job_id }, 'its job')}</>}
      </p>
      <p>
        Signature <Verdict of={delivery} /> {diagnosis}
      </p>
    </>
  )
}

/** The most entries of the journal that are searched. */
const MOST_ENTRIES = 10_000

/** The records of the sink, by the number of the attempt that they received. */
function useRecords({ id, job_id: job, attempts }: Delivery): Readonly<Record<number, string>> {
  const { value = {}, reload } = useLoaded(async () => {
    if (attempts.length === 0) return {}
    const query = { limit: MOST_ENTRIES, ...(job !== null && { job }) }
    const { entries } = await call('GET /timeline', { query })
    const sent = entries.filter(
      ({ kind, delivery_id }) => kind === 'delivery' && delivery_id === id,
    )
    const received = new Map(entries.map(({ cause, record_id }) => [cause, record_id]))
    // The journal may have dropped the first attempts.
    const made = sent.length === 0 ? [] : attempts.slice(-sent.length)
    return Object.fromEntries(
      made.flatMap(({ attempt }, at) => {
        const record = received.get(sent[at]!.id)
        return record ? [[attempt, record]] : []
      }),
    )
  }, `${id} ${attempts.length}`)
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

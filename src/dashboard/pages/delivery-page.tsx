import type { ComponentChildren } from 'preact'
import { call } from '../data/control.js'
import {
  BodyText,
  responseText,
  DeliveryState,
  HeaderList,
  Verdict,
  type Attempt,
} from '../parts/delivery-table.js'
import { DetailRow } from '../parts/detail-row.js'
import { LiveTable, type Column } from '../parts/live-table.js'
import { hrefOf } from '../routes.js'
import { Problem, useAction } from '../parts/use-action.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { milliseconds, Name } from '../parts/wording.js'

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  ['No.', 'w-index'],
  ['At', 'w-time'],
  ['Status', 'w-status'],
  ['Took', 'w-took', { wide: true }],
  ['Response', 'w-grow', { wide: true }],
]

export function DeliveryPage({ id }: { id: string }): ComponentChildren {
  const params = { delivery_id: id }
  const {
    value: delivery,
    error,
    reload,
  } = useLoaded(() => call('GET /deliveries/{delivery_id}', { params }), id)
  const { busy, run, problem } = useAction()
  useReloadOn(['delivery', 'receipt'], reload)
  if (!delivery) {
    return error ? <Problem of={error} /> : <p class="empty">Loading the delivery…</p>
  }
  const { event, webhook, diagnosis, attempts, headers, body, job_id } = delivery
  const resend = (): void => {
    run(async () => {
      await call('POST /deliveries/{delivery_id}/resend', { params })
      reload()
    })
  }
  return (
    <>
      <header class="summary">
        <h1 tabIndex={-1}>
          {event} <DeliveryState delivery={delivery} />
        </h1>
        <p>
          to{' '}
          <b>
            <Name of={webhook} />
          </b>
          , <code>{id}</code>
          {job_id && (
            <>
              , caused by{' '}
              <a class="inline" href={hrefOf({ page: 'job', id: job_id })}>
                its job
              </a>
            </>
          )}
        </p>
        <p>
          Signature <Verdict of={delivery} /> {diagnosis}
        </p>
      </header>
      <section class="actions" aria-label="Actions">
        <button disabled={busy} onClick={resend}>
          Resend
        </button>
        <Problem of={problem} />
      </section>
      <LiveTable
        label="Attempts"
        columns={ATTEMPT_COLUMNS}
        rows={attempts.toReversed()}
        keyOf={({ attempt }) => attempt}
        row={attemptRow}
        empty={<p>Not sent yet. Step the clock, or wait.</p>}
      >
        <h2>Attempts</h2>
      </LiveTable>
      <HeaderList of={headers} />
      <BodyText of={body} title="Body, as sent" />
    </>
  )
}

function attemptRow(made: Attempt): ComponentChildren {
  const { attempt, at, status, took } = made
  const detail = (): ComponentChildren => (
    <pre tabIndex={0}>{responseText(made) || 'The response had no body.'}</pre>
  )
  return (
    <DetailRow key={attempt} id={attempt} kind="attempt" at={at} cells={3} detail={detail}>
      <td class="mono">{status ?? 'none'}</td>
      <td class="number">{milliseconds(took)}</td>
      <td class="mono clipped">{responseText(made)}</td>
    </DetailRow>
  )
}

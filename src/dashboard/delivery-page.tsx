import type { ComponentChildren } from 'preact'
import { call } from './control.js'
import { responseText, DeliveryState, HeaderList, Verdict, type Attempt } from './delivery-table.js'
import { LiveTable } from './live-table.js'
import { hrefOf } from './routes.js'
import { Problem, useAction } from './use-action.js'
import { useLoaded } from './use-loaded.js'
import { useReloadOn } from './use-reload-on.js'
import { figure, milliseconds, Moment, Name } from './wording.js'

const ATTEMPT_COLUMNS = [
  ['No.', 'w-index'],
  ['At', 'w-time'],
  ['Status', 'w-short'],
  ['Took', 'w-took'],
  ['Response', 'w-grow'],
] as const

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
              , caused by <a href={hrefOf({ page: 'job', id: job_id })}>its job</a>
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
      <h2>Body, as sent</h2>
      <pre tabIndex={0}>{body}</pre>
    </>
  )
}

function attemptRow(made: Attempt): ComponentChildren {
  const { attempt, at, status, took } = made
  return (
    <tr key={attempt}>
      <td class="number">{figure(attempt)}</td>
      <td class="mono">
        <Moment at={at} />
      </td>
      <td class="mono">{status ?? 'none'}</td>
      <td class="number">{milliseconds(took)}</td>
      <td class="mono clipped" title={responseText(made)}>
        {responseText(made)}
      </td>
    </tr>
  )
}

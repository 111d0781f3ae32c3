import type { ComponentChildren } from 'preact'
import type { ControlJob as Job, ControlModel } from '../control/schemas.js'
import { call } from './control.js'
import { isRequest } from './live.js'
import { DeliveryTable } from './delivery-table.js'
import { LiveTable } from './live-table.js'
import { REQUEST_COLUMNS, requestRow } from './request-row.js'
import { Problem } from './use-action.js'
import { useDeliveries } from './use-deliveries.js'
import { useLive } from './use-live.js'
import { useLoaded } from './use-loaded.js'
import { figure, metricsLine, Moment, Name } from './wording.js'

type Checkpoint = ControlModel['checkpoints'][number]

const CHECKPOINT_COLUMNS = [
  ['Step', 'w-index'],
  ['Checkpoint', 'w-id'],
  ['At', 'w-time'],
  ['Aliases', 'w-event'],
  ['Metrics', 'w-grow'],
] as const

/** The checkpoints of the job's model. The one that the job created has a mark. */
export function JobCheckpoints({ job }: { job: Job }): ComponentChildren {
  const notes = useLive(({ entries }) => entries.findLast(({ kind }) => kind === 'note')?.id)
  const key = `${job.model.id} ${job.status} ${job.checkpoint_step} ${notes}`
  const { value, error } = useLoaded(async () => {
    const { models } = await call('GET /models')
    return models.find(({ id }) => id === job.model.id)?.checkpoints ?? []
  }, key)
  const row = ({ step, id, created_at, aliases, metrics }: Checkpoint): ComponentChildren => (
    <tr key={id}>
      <td class="number">
        {figure(step)}
        {step === job.checkpoint_step && <span title="Created by this job"> ★</span>}
      </td>
      <td class="mono">{id}</td>
      <td class="mono">
        <Moment at={created_at} />
      </td>
      <td>{aliases.join(', ')}</td>
      <td class="mono clipped">{metricsLine(metrics)}</td>
    </tr>
  )
  return (
    <>
      <Problem of={error} />
      <LiveTable
        label="Checkpoints"
        columns={CHECKPOINT_COLUMNS}
        rows={value?.toSorted((a, b) => b.step - a.step) ?? []}
        keyOf={({ id }) => id}
        row={row}
        empty={<p>The model has no checkpoints.</p>}
      >
        <h2>
          Checkpoints of <Name of={job.model.name} />
        </h2>
      </LiveTable>
    </>
  )
}

/** The deliveries that the job caused. */
export function JobDeliveries({ job }: { job: Job }): ComponentChildren {
  const { value = [], error } = useDeliveries(job.id)
  return (
    <>
      <Problem of={error} />
      <DeliveryTable deliveries={value} empty={<p>This job caused no deliveries.</p>}>
        <h2>Deliveries</h2>
      </DeliveryTable>
    </>
  )
}

/** The requests that created or read the job. */
export function JobRequests({ job }: { job: Job }): ComponentChildren {
  const { value = [], error } = useLoaded(async () => {
    return (await call('GET /requests', { query: { job: job.id, limit: 200 } })).requests
  }, job.id)
  const entries = useLive((live) => live.entries)
  const known = new Set(value.map(({ id }) => id))
  const since = entries.filter(isRequest).filter(({ id, path }) => {
    return !known.has(id) && (id === job.request_id || path.includes(job.id))
  })
  return (
    <>
      <Problem of={error} />
      <LiveTable
        label="Requests"
        columns={REQUEST_COLUMNS}
        rows={[...value, ...since].toReversed()}
        keyOf={({ id }) => id}
        row={requestRow}
        empty={<p>No requests for this job. The journal keeps only the latest ones.</p>}
      >
        <h2>Requests</h2>
      </LiveTable>
    </>
  )
}

import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import type { ControlJob as Job, ControlModel } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { isRequest } from '../data/live.js'
import { DeliveryTable } from '../parts/delivery-table.js'
import { DetailRow } from '../parts/detail-row.js'
import { LiveTable, type Column } from '../parts/live-table.js'
import { REQUEST_COLUMNS, requestRow } from '../parts/request-row.js'
import { Problem } from '../parts/use-action.js'
import { useDeliveries } from '../data/use-deliveries.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { metricsLine, Name, shortId } from '../parts/wording.js'

type Checkpoint = ControlModel['checkpoints'][number]

const CHECKPOINT_COLUMNS: readonly Column<Checkpoint>[] = [
  ['Step', 'w-index', { sort: ({ step }) => step }],
  ['At', 'w-time', { sort: ({ created_at }) => created_at }],
  ['Checkpoint', 'w-id', { wide: true }],
  ['Aliases', 'w-event', { sort: ({ aliases }) => aliases.join(', ') }],
  ['Metrics', 'w-grow', { wide: true }],
]

/** The checkpoints of the job's model. The one that the job created has a mark. */
export function JobCheckpoints({ job }: { job: Job }): ComponentChildren {
  const notes = useLive(({ entries }) => entries.findLast(({ kind }) => kind === 'note')?.id)
  const key = `${job.model.id} ${job.status} ${job.checkpoint_step} ${notes}`
  const { value, error } = useLoaded(async () => {
    const { models } = await call('GET /models')
    return models.find(({ id }) => id === job.model.id)?.checkpoints ?? []
  }, key)
  const row = useCallback(
    (checkpoint: Checkpoint) => checkpointRow(checkpoint, checkpoint.step === job.checkpoint_step),
    [job.checkpoint_step],
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

function checkpointRow(checkpoint: Checkpoint, isOfJob: boolean): ComponentChildren {
  const { step, id, created_at, aliases, metrics } = checkpoint
  const detail = (): ComponentChildren => (
    <>
      <p>
        Checkpoint <code>{id}</code> {isOfJob && '★ Created by this job.'}
      </p>
      <pre tabIndex={0}>{JSON.stringify(metrics, undefined, 2)}</pre>
    </>
  )
  return (
    <DetailRow key={id} id={step} kind="checkpoint" at={created_at} cells={3} detail={detail}>
      <td class="mono clipped">{shortId(id)}</td>
      <td class="clipped">
        {isOfJob && (
          <span title="Created by this job" aria-label="Created by this job" role="img">
            ★{' '}
          </span>
        )}
        {aliases.join(', ')}
      </td>
      <td class="mono clipped">{metricsLine(metrics)}</td>
    </DetailRow>
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

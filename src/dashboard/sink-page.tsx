import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SinkRecord } from '../control/schemas.js'
import { call, ControlError } from './control.js'
import { HeaderList, Verdict } from './delivery-table.js'
import { DetailRow } from './detail-row.js'
import { LiveTable } from './live-table.js'
import { Problem } from './use-action.js'
import { useLoaded } from './use-loaded.js'
import { useReloadOn } from './use-reload-on.js'
import { milliseconds } from './wording.js'

/** How many records are listed. Each one includes its body. */
const MOST = 200

const COLUMNS = [
  ['No.', 'w-index'],
  ['At', 'w-time'],
  ['Method', 'w-short'],
  ['Path', 'w-name'],
  ['Signature', 'w-state'],
  ['Diagnosis', 'w-grow'],
  ['Repeats', 'w-name'],
  ['Latency', 'w-took'],
] as const

/** Everything that the attached webhook sink received. */
export function SinkPage(): ComponentChildren {
  const {
    value = [],
    error,
    reload,
  } = useLoaded(async () => {
    return (await call('GET /sink/records', { query: { limit: MOST } })).records
  })
  useReloadOn(['receipt'], reload)
  const [text, setText] = useState('')
  const rows = value.filter((record) => {
    const { method, path, verdict, diagnosis, body } = record
    return [`${method} ${path}`, verdict, diagnosis ?? '', body].some((each) => each.includes(text))
  })
  const none = error instanceof ControlError && error.status === 404
  return (
    <>
      <h1 tabIndex={-1}>Sink</h1>
      {!none && <Problem of={error} />}
      <LiveTable
        label="Received"
        columns={COLUMNS}
        rows={rows.toReversed()}
        keyOf={({ id }) => id}
        row={sinkRow}
        view={text}
        empty={none ? <NoSink /> : <NoRecords of={value} />}
      >
        <label>
          <span class="hidden-label">Filter</span>
          <input
            type="search"
            placeholder="Path, verdict, diagnosis or body"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      </LiveTable>
    </>
  )
}

function NoSink(): ComponentChildren {
  return (
    <>
      <p>This emulator has no webhook sink. Start it with</p>
      <pre>svtrain-emulator --sink</pre>
    </>
  )
}

function NoRecords({ of: records }: { of: readonly SinkRecord[] }): ComponentChildren {
  if (records.length > 0) return <p>No record matches. Clear the filter.</p>
  return <p>Nothing received yet. Webhooks sent to the sink appear here.</p>
}

function sinkRow(record: SinkRecord): ComponentChildren {
  return <SinkRow key={record.id} record={record} />
}

/** A duplicate has the same delivery id as an earlier record. A record with only the same bytes is not one. */
function repeated({ duplicate_of, same_bytes_as }: SinkRecord): string {
  if (duplicate_of !== null) return `duplicate of ${duplicate_of}`
  return same_bytes_as === null ? '' : `same bytes as ${same_bytes_as}`
}

/** A record as a row. When it is open, all of it appears below. */
function SinkRow({ record }: { record: SinkRecord }): ComponentChildren {
  const { id, at, method, path, diagnosis, latency } = record
  return (
    <DetailRow id={id} at={at} cells={6} detail={() => <RecordDetails of={record} />}>
      <td class="mono clipped">{method}</td>
      <td class="mono clipped" title={path}>
        {path}
      </td>
      <td>
        <Verdict of={record} />
      </td>
      <td class="clipped" title={diagnosis ?? ''}>
        {diagnosis}
      </td>
      <td class="clipped" title={repeated(record)}>
        {repeated(record)}
      </td>
      <td class="number">{latency !== null && milliseconds(latency)}</td>
    </DetailRow>
  )
}

function RecordDetails({ of: record }: { of: SinkRecord }): ComponentChildren {
  const { diagnosis, headers, body, body_base64 } = record
  return (
    <>
      {diagnosis !== null && <p>{diagnosis}</p>}
      <HeaderList of={headers} />
      <h2>Body, as received</h2>
      <pre tabIndex={0}>{body}</pre>
      {body.includes('\uFFFD') && (
        <>
          <h2>Not UTF-8; in base64</h2>
          <pre tabIndex={0}>{body_base64}</pre>
        </>
      )}
    </>
  )
}

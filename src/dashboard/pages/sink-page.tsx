import type { ComponentChildren } from 'preact'
import type { SinkRecord } from '../../emulator/control/schemas.js'
import { call, ControlError } from '../data/control.js'
import { linkTo } from '../parts/link.js'
import { BodyText, HeaderList, Verdict } from '../parts/delivery-table.js'
import { parsed } from '../parts/json-text.js'
import { LiveTable, type Column, type RowDetails } from '../parts/live-table.js'
import { useTextFilter } from '../parts/text-filter.js'
import { Page } from '../parts/page.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { lasting, Moment, shortId } from '../parts/wording.js'

/** How many records are listed. Each one includes its body. */
const MOST = 200

const COLUMNS: readonly Column<SinkRecord>[] = [
  ['No.', 'w-index', ({ id }) => id, { sort: ({ id }) => Number(id) }],
  ['At', 'w-time', ({ at }) => <Moment at={at} />, { sort: ({ at }) => at, wide: true }],
  ['Event', 'w-event mono clipped', eventText, { sort: eventOf }],
  ['About', 'w-name clipped', subjectOf, { sort: true, wide: true }],
  ['Path', 'w-name mono clipped', ({ path }) => path, { sort: true, wide: true }],
  ['Signature', 'w-state', (of) => <Verdict of={of} />, { sort: ({ verdict }) => verdict }],
  ['Diagnosis', 'w-grow clipped', ({ diagnosis }) => diagnosis, { wide: true }],
  ['Repeats', 'w-name clipped', repeated, { wide: true }],
  ['Latency', 'w-took', (of) => lasting(of.latency), { sort: (of) => of.latency, wide: true }],
]

function eventText(record: SinkRecord): ComponentChildren {
  return eventOf(record) || <span class="faint">{record.path}</span>
}

const DETAILS: RowDetails<SinkRecord> = {
  idOf: ({ id }) => `record-${id}`,
  show: (record) => <RecordDetails of={record} />,
}

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
  const { text, found, field } = useTextFilter(value, {
    example: 'Event, path, verdict, diagnosis or body',
    textsOf: ({ method, path, verdict, diagnosis, body }) => {
      return [`${method} ${path}`, verdict, diagnosis, body]
    },
  })
  const none = error instanceof ControlError && error.status === 404
  return (
    <Page title="Sink" error={none ? undefined : error}>
      <LiveTable
        label="Received"
        columns={COLUMNS}
        rows={found.toReversed()}
        keyOf={({ id }) => id}
        details={DETAILS}
        view={text}
        empty={none ? <NoSink /> : <NoRecords of={value} />}
      >
        {field}
      </LiveTable>
    </Page>
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

/** Fields of payloads that say which event it is, and what it is about. The first that is there counts. */
const EVENT_FIELDS = ['event_type', 'event', 'type']
const SUBJECT_FIELDS = ['run_name', 'run', 'artifact_collection_name', 'model', 'job_id']

/** The event that the payload names. Empty if it names none. */
function eventOf(record: SinkRecord): string {
  return fieldOf(record, EVENT_FIELDS)
}

/** The run, the collection or the job that the payload names. Empty if it names none. */
function subjectOf(record: SinkRecord): string {
  return fieldOf(record, SUBJECT_FIELDS)
}

type Payload = Readonly<Record<string, unknown>>

const payloads = new WeakMap<SinkRecord, Payload>()

function fieldOf(record: SinkRecord, names: readonly string[]): string {
  let payload = payloads.get(record)
  if (!payload) payloads.set(record, (payload = Object(parsed(record.body)) as Payload))
  const value = names
    .map((name) => payload[name])
    .find((each) => typeof each === 'string' && each !== '')
  return typeof value === 'string' ? value : ''
}

/** A duplicate has the same delivery id as an earlier record. A record with only the same bytes is not one. */
function repeated({ duplicate_of, same_bytes_as }: SinkRecord): string {
  if (duplicate_of !== null) return `duplicate of ${duplicate_of}`
  return same_bytes_as === null ? '' : `same bytes as ${same_bytes_as}`
}

/** All of a record. */
function RecordDetails({ of: record }: { of: SinkRecord }): ComponentChildren {
  const { at, diagnosis, headers, body, body_base64, method, path, latency, delivery_id } = record
  return (
    <>
      <p class="mono">
        {method} {path}
      </p>
      <p class="faint">
        At {at}
        {latency !== null && `, ${lasting(latency)} after its event`}
      </p>
      {delivery_id !== null && (
        <p>
          Sent by{' '}
          {linkTo({ page: 'delivery', id: delivery_id }, `delivery ${shortId(delivery_id)}`)}.
        </p>
      )}
      {repeated(record) !== '' && <p>It is a {repeated(record)}.</p>}
      {diagnosis !== null && <p>{diagnosis}</p>}
      <HeaderList of={headers} />
      <BodyText of={body} title="Body, as received" />
      {body.includes('\uFFFD') && (
        <>
          <h2>Not UTF-8; in base64</h2>
          <pre tabIndex={0}>{body_base64}</pre>
        </>
      )}
    </>
  )
}

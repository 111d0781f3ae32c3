import type { ComponentChildren } from 'preact'
import type { SinkRecord } from '../../emulator/control/schemas/sink.js'
import { call, isMissing } from '../data/control.js'
import { BodyText, HeaderList } from '../kit/http-message.js'
import { useRecords, type Listing, type RowsState } from '../kit/records.js'
import { column } from '../kit/value.js'
import { parsed } from '../parts/json-text.js'
import { linkTo } from '../parts/link.js'
import { isUtf8 } from '../parts/utf8.js'
import { lasting } from '../parts/amounts.js'
import { shortId } from '../parts/names.js'

/** How many records are listed. Each one includes its body. */
const MOST = 200

/** Everything that the attached webhook sink received. */
export const SINK: Listing<SinkRecord> = {
  title: 'Sink',
  label: 'Received',
  thing: 'record',
  useRows,
  keyOf: ({ id }) => id,
  columns: [
    ['No.', 'w-index', ({ id }) => id, { sort: ({ id }) => Number(id) }],
    column('at', { wide: true }),
    ['Event', 'w-event mono', eventText, { sort: eventOf }],
    ['About', 'w-name', subjectOf, { sort: true, wide: true }],
    column('path', { look: 'w-name mono', wide: true }),
    column('verdict', { heading: 'Signature', look: 'w-state' }),
    column('diagnosis', { look: 'w-grow', wide: true }),
    ['Repeats', 'w-name', repeated, { wide: true }],
    column('latency', { wide: true }),
  ],
  details: {
    idOf: ({ id }) => `record-${id}`,
    show: (record) => <RecordDetails of={record} />,
  },
  facets: [{ name: 'verdict', label: 'Signature', answerOf: ({ verdict }) => verdict }],
  most: MOST,
  find: 'Event, path, verdict, diagnosis or body',
  Empty: NothingReceived,
}

function useRows(): RowsState<SinkRecord> {
  const loaded = useRecords(async () => {
    return (await call('GET /sink/records', { query: { limit: MOST } })).records.toReversed()
  }, ['receipt'])
  // Without a sink, the page says how to get one.
  return isMissing(loaded.error) ? { ...loaded, value: NONE, error: undefined } : loaded
}

const NONE: readonly SinkRecord[] = []

function NothingReceived(): ComponentChildren {
  const { error } = useRecords(async () => (await call('GET /sink/records')).records, [])
  if (!isMissing(error)) return <p>Nothing received yet. Webhooks sent to the sink appear here.</p>
  return (
    <>
      <p>This emulator has no webhook sink. Start it with</p>
      <pre>svtrain-emulator --sink</pre>
    </>
  )
}

function eventText(record: SinkRecord): ComponentChildren {
  return eventOf(record) || <span class="faint">{record.path}</span>
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
      {repeated(record) !== '' && <p>Repeats: {repeated(record)}.</p>}
      {diagnosis !== null && <p>{diagnosis}</p>}
      <HeaderList of={headers} />
      <BodyText of={body} title="Body, as received" />
      {!isUtf8(body_base64) && (
        <>
          <h2>Not UTF-8; in base64</h2>
          <pre tabIndex={0}>{body_base64}</pre>
        </>
      )}
    </>
  )
}

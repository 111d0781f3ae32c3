import { openedSink, sinkFilter, sinkRecords, type SinkRecord } from './schemas/sink.js'
import { ApiError } from '../../service/contract/errors.js'
import { toBase64 } from '../../base/text/bytes.js'
import type { ReceivedDelivery } from '../../webhooks/sink/received-delivery.js'
import { withLimit } from '../../base/clock/wall.js'
import { GRACE } from '../../webhooks/sending/webhooks.js'
import { toIso } from '../../base/text/iso.js'
import { redactedHeaders } from '../../base/text/redaction/credentials.js'
import { control } from './row.js'

const openSink = control({
  id: 'openSink',
  method: 'POST',
  path: '/_emulator/sink',
  summary: 'Attaches a webhook sink in the process of the emulator, unless there is one',
  refusals: [409],
  response: openedSink,
  async run({ emulator: world }) {
    if (!world.sink) await world.openSink?.()
    const { sink } = world
    if (!sink) return new ApiError(409, 'An emulator in a browser has no webhook sink.')
    return { url: sink.url }
  },
})

const listSinkRecords = control({
  id: 'listSinkRecords',
  method: 'GET',
  path: '/_emulator/sink/records',
  summary: 'What the attached webhook sink received; 404 without a sink',
  refusals: [404],
  query: sinkFilter,
  response: sinkRecords,
  async run({ emulator: { sink, webhooks }, query: { limit, wait } }) {
    if (!sink) return new ApiError(404, 'No webhook sink is attached to this emulator.')
    // A delivery whose answer the sink holds has arrived.
    if (wait && !sink.holding) await withLimit(webhooks.idle(), GRACE)
    const redact = (text: string): string => webhooks.withoutSecrets(text)
    return { records: sink.deliveries.slice(-limit).map((record) => recordState(record, redact)) }
  },
})

/** A received request as JSON. Its bytes are unchanged unless they contain a secret. */
function recordState(record: ReceivedDelivery, redact: (text: string) => string): SinkRecord {
  const { id, at, method, path, headers, text, raw, verdict, diagnosis } = record
  const body = redact(text)
  return {
    id,
    at: toIso(at),
    method,
    path: redact(path),
    headers: redactedHeaders(headers, redact),
    body,
    body_base64: toBase64(body === text ? raw : new TextEncoder().encode(body)),
    verdict,
    delivery_id: record.deliveryId ?? null,
    diagnosis: diagnosis ? redact(diagnosis.text) : null,
    duplicate_of: record.duplicateOf ?? null,
    same_bytes_as: record.sameBytesAs ?? null,
    latency: record.latency ?? null,
  }
}

export const sinkOperations = [openSink, listSinkRecords]

import { definedIn } from '../../base/text/defined-in.js'
import { DELIVERIES, knownFile } from '../../base/text/evidence.js'
import { shortened } from '../../base/text/shortened.js'
import { textOrNone, valueAt } from '../../base/text/value-at.js'
import { parseJson } from '../../base/text/json-text.js'
import { fromBase64 } from '../../base/text/bytes.js'
import { standardHeaders } from '../signature/standard-headers.js'
import { sign, SIGNATURE_HEADER, type SignatureForm } from '../signature/signature.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'

/** Thrown when recorded deliveries cannot be sent again. Nothing was sent. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError'
}

/** A delivery as a sink wrote it into its file. */
export interface RecordedDelivery {
  /** The number of the record. */
  readonly id: string
  /** When it arrived, in milliseconds since the epoch. Undefined: the record does not say. */
  readonly at: number | undefined
  readonly method: string
  readonly path: string
  readonly event: string | undefined
  readonly verdict: string | undefined
  readonly deliveryId: string | undefined
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as they arrived. */
  readonly body: Uint8Array
}

/**
 * Reads the deliveries that a sink wrote, one JSON object per line.
 *
 * @param label How messages name the file.
 * @throws {ReplayError} When it is another file, or when a line is not a record of a sink. The message has its number.
 * @example
 * const deliveries = readDeliveries(await readFile('deliveries.ndjson', 'utf8'), 'deliveries.ndjson')
 */
export function readDeliveries(text: string, label: string): RecordedDelivery[] {
  const known = knownFile(text, label)
  if (known && known.what !== DELIVERIES) {
    throw new ReplayError(
      `${label} is ${known.what}, not a file of deliveries. Give the one that sink --to wrote. Nothing was sent.`,
    )
  }
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  const last = lines.length - 1
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    return [readLine(line, `Line ${index + 1} of ${label}`, index === last)]
  })
}

function readLine(line: string, place: string, isLast: boolean): RecordedDelivery {
  const record = parseJson(line)
  if (record === undefined) {
    const torn = isLast ? ' It may be an incomplete record: remove the line.' : ''
    throw new ReplayError(`${place} is not JSON: ${shortened(line, 60)}.${torn} Nothing was sent.`)
  }
  if (typeof record !== 'object' || record === null) throw foreign(place, 'an object')
  const { id, at, method, path, headers, text, base64, body, verdict, deliveryId } =
    record as Readonly<Record<string, unknown>>
  if (typeof id !== 'string') throw foreign(place, '"id"')
  if (!isHeaders(headers)) throw foreign(place, '"headers"')
  const bytes = bytesOf(text, base64)
  if (bytes === undefined) throw foreign(place, '"text" or "base64"')
  const moment = typeof at === 'string' ? Date.parse(at) : NaN
  return {
    id,
    at: Number.isNaN(moment) ? undefined : moment,
    method: textOrNone(method) ?? 'POST',
    path: textOrNone(path) ?? '/',
    event: textOrNone(valueAt(body ?? parseJson(String(text)), ['event_type'])),
    verdict: textOrNone(verdict),
    deliveryId: textOrNone(deliveryId) ?? headers['webhook-id'],
    headers,
    body: bytes,
  }
}

function foreign(place: string, missing: string): ReplayError {
  return new ReplayError(
    `${place} is not a delivery that the sink recorded: it has no ${missing}. Nothing was sent.`,
  )
}

function isHeaders(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((each) => typeof each === 'string')
}

function bytesOf(text: unknown, base64: unknown): Uint8Array | undefined {
  if (typeof text === 'string') return new TextEncoder().encode(text)
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  return fromBase64(base64)
}

/** How a delivery is signed again. */
export interface Resigning extends SignatureForm {
  readonly secret: string
  /** The time of the timestamped form. */
  readonly moment: Date
}

/** How deliveries are sent again. */
export interface ReplayOptions {
  /** Signs again. Undefined: with the recorded signature. */
  readonly resign?: Resigning | undefined
  /** The signature header. */
  readonly header?: string | undefined
  /** The access token. Records have none. */
  readonly token?: string | undefined
}

/**
 * Returns the headers of a recorded delivery for another request.
 *
 * @throws {ReplayError} When the record was redacted, so that its signature is wrong.
 * @example
 * const headers = await headersAgain(delivery, { resign: { secret: 's3cret', moment } })
 */
export async function headersAgain(
  { id, headers, body, deliveryId }: RecordedDelivery,
  { resign, header = SIGNATURE_HEADER, token }: ReplayOptions,
): Promise<Record<string, string>> {
  const { authorization, ...others } = headers
  // Credentials in other headers are not written at all.
  const again = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== HIDDEN))
  if (token !== undefined) again['authorization'] = `Bearer ${token}`
  // The sink writes at most the scheme. Files of older versions have an ellipsis after it.
  else if (
    authorization !== undefined &&
    ![HIDDEN, '…'].some((mark) => authorization.includes(mark))
  ) {
    again['authorization'] = authorization
  }
  if (!resign) {
    const isRedacted =
      new TextDecoder().decode(body).includes(HIDDEN) ||
      Object.values(again).some((value) => value.includes(HIDDEN))
    if (!isRedacted) return again
    throw new ReplayError(
      `Record ${id} was redacted, so its signature is not valid any more. Sign it again with --resign <secret>. Nothing was sent.`,
    )
  }
  const { secret, moment, ...form } = resign
  const name = header.toLowerCase()
  const before = again[name]
  const isStandard = 'webhook-signature' in again
  // A sender with timestamps alone gets no other header.
  if (before !== undefined || !isStandard) {
    again[name] = await sign(body, secret, { ...formOf(before), ...definedIn(form) })
  }
  if (!isStandard) return again
  const stamped = { secret, id: again['webhook-id'] ?? deliveryId ?? id, body, moment }
  return { ...again, ...(await standardHeaders(stamped)) }
}

/** The form of a recorded signature, so that the new one has the same. */
function formOf(signature = ''): SignatureForm {
  const [, prefix, digest] = /^(.*?)([\da-f]{64}|[\w+/]{43}=)$/i.exec(signature) ?? []
  if (digest === undefined) return {}
  return { prefix, encoding: digest.endsWith('=') ? 'base64' : 'hex' }
}

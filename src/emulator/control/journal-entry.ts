import { lostText } from '../testing/format.js'
import type { DeliveryEntry, JournalEntry, RequestEntry } from '../../service/engine/journal.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import { toIso } from '../../base/text/iso.js'
import type { Entry, RequestEntry as RequestJson } from './schemas/journal.js'

/**
 * A journal entry as JSON without secrets, with the names of the API. Each kind lists all its fields: there can be
 * thousands of entries per second, and spreading the common fields takes ten times as long.
 *
 * @param world The name of the world whose journal it is in.
 */
export function entryJson(recorded: JournalEntry, world: string | null): Entry {
  if (recorded.kind === 'request') return requestJson(recorded, world)
  const entry = shownEntry(recorded)
  if (entry.kind === 'delivery') return deliveryJson(entry, world)
  const { id, cause = null, text } = entry
  const at = toIso(entry.at)
  switch (entry.kind) {
    case 'job': {
      const { kind, jobId: job_id, modelName: model, event } = entry
      return { id, at, cause, world, kind, text, job_id, model, event }
    }
    case 'receipt': {
      const { kind, recordId: record_id, verdict } = entry
      return { id, at, cause, world, kind, text, record_id, verdict }
    }
    case 'note':
      return { id, at, cause, world, kind: 'note', text }
  }
}

/** A key whose value is undefined: in JSON, it is the same as one that is absent. */
type Sparse<T> = { [Key in keyof T]: T[Key] | (object extends Pick<T, Key> ? undefined : never) }

/** A request as JSON, without secrets. */
export function requestJson(recorded: RequestEntry, world: string | null): RequestJson {
  const entry = shownEntry(recorded)
  const { id, cause = null, kind, host, method, path, query, operation } = entry
  const { status, lost, took, detail, hint, effects } = entry
  const at = toIso(entry.at)
  const got = [status, lostText({ status, lost })].filter(Boolean).join(', ')
  const text = `${method} ${path} ${got || 'under way'}`
  const json: Sparse<RequestJson> = {
    id,
    at,
    cause,
    world,
    kind,
    text,
    host,
    method,
    path,
    query,
    operation,
    status,
    lost,
    took,
    detail,
    hint,
    effects,
  }
  return json as RequestJson
}

type DeliveryJson = Extract<Entry, { kind: 'delivery' }>

function deliveryJson(entry: DeliveryEntry, world: string | null): DeliveryJson {
  const { id, cause = null, kind, text, deliveryId: delivery_id, attempt, copy, webhook } = entry
  const { url, event, status, error } = entry
  const at = toIso(entry.at)
  const json: Sparse<DeliveryJson> = {
    id,
    at,
    cause,
    world,
    kind,
    text,
    delivery_id,
    attempt,
    copy,
    webhook,
    url,
    event,
    status,
    error,
  }
  return json as DeliveryJson
}

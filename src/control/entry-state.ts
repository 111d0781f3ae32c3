import type { DeliveryEntry, JournalEntry, RequestEntry } from '../engine/journal.js'
import { toIso } from '../text/iso.js'

/**
 * A journal entry as JSON, its names in the API's spelling. Each kind is written out: there are
 * thousands a second, and to spread what they have in common takes ten times as long.
 */
export function entryState(entry: JournalEntry): Record<string, unknown> {
  if (entry.kind === 'request') return requestState(entry)
  if (entry.kind === 'delivery') return deliveryState(entry)
  const { id, cause = null, kind, text } = entry
  const at = toIso(entry.at)
  switch (entry.kind) {
    case 'job': {
      const { jobId: job_id, modelName: model, event } = entry
      return { id, at, cause, kind, text, job_id, model, event }
    }
    case 'receipt': {
      const { recordId: record_id, verdict } = entry
      return { id, at, cause, kind, text, record_id, verdict }
    }
    case 'note':
      return { id, at, cause, kind, text }
  }
}

function requestState(entry: RequestEntry): Record<string, unknown> {
  const { id, cause = null, kind, host, method, path, query, operation } = entry
  const { status, lost, took, detail, hint, effects } = entry
  const at = toIso(entry.at)
  const text = `${method} ${path} ${status ?? lost ?? 'under way'}`
  const asked = { id, at, cause, kind, text, host, method, path, query, operation }
  return Object.assign(asked, { status, lost, took, detail, hint, effects })
}

function deliveryState(entry: DeliveryEntry): Record<string, unknown> {
  const { id, cause = null, kind, text, deliveryId: delivery_id, attempt, webhook } = entry
  const { url, event, status, error } = entry
  const at = toIso(entry.at)
  return { id, at, cause, kind, text, delivery_id, attempt, webhook, url, event, status, error }
}

import type { JournalEntry } from '../../engine/journal.js'
import { toIso } from '../../world/clock.js'

/** A journal entry as JSON, its names in the API's spelling. */
export function entryState(entry: JournalEntry): Record<string, unknown> {
  const { id, at, cause = null, kind } = entry
  const told = { id, at: toIso(at), cause, kind }
  switch (entry.kind) {
    case 'request': {
      const { host, method, path, query, operation, status, lost, took, hint, effects } = entry
      const text = `${method} ${path} ${status ?? lost ?? 'under way'}`
      return {
        ...told,
        text,
        host,
        method,
        path,
        query,
        operation,
        status,
        lost,
        took,
        hint,
        effects,
      }
    }
    case 'job': {
      const { text, jobId: job_id, modelName: model, event } = entry
      return { ...told, text, job_id, model, event }
    }
    case 'delivery': {
      const { text, deliveryId: delivery_id, attempt, webhook, url, event, status, error } = entry
      return { ...told, text, delivery_id, attempt, webhook, url, event, status, error }
    }
    case 'receipt':
      return { ...told, text: entry.text, record_id: entry.recordId, verdict: entry.verdict }
    case 'note':
      return { ...told, text: entry.text }
  }
}

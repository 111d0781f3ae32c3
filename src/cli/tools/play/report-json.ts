import type { PlayReport } from '../../../tools/play/report.js'
import { printableLines } from '../../terminal.js'

/** The report as a JSON document. Numbers that JSON cannot write become strings. */
export function reportJson({
  scenario,
  seed,
  timeline,
  jobs,
  duplicates,
  unused,
}: PlayReport): string {
  const document = {
    scenario: scenario.name,
    seed,
    calls: timeline.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : [])),
    jobs: jobs.map(
      ({ id, kind, model, ended, startedAt, endedAt, reason, nothingToTrain, events }) => ({
        id,
        kind,
        model,
        ended,
        startedAt,
        endedAt,
        reason,
        nothingToTrain,
        events: events.map(({ at, type, data }) => ({ at, type, data })),
      }),
    ),
    checkpoints: timeline.flatMap((entry) => {
      return entry.kind === 'checkpoint' ? [{ at: entry.at, ...entry.checkpoint }] : []
    }),
    deliveries: timeline.flatMap((entry) => {
      if (entry.kind !== 'delivery') return []
      const { deliveryId: id, attempt, copy, webhook, event, status, error } = entry.delivery
      return [{ at: entry.at, id, attempt, copy, webhook, event, status, error }]
    }),
    notes: timeline.flatMap((entry) => {
      if (entry.kind !== 'note' && entry.kind !== 'remark') return []
      return [{ at: entry.at, by: entry.kind === 'note' ? 'emulator' : 'client', text: entry.text }]
    }),
    duplicates,
    unused,
  }
  return printableLines(JSON.stringify(document, writable, 2))
}

function writable(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

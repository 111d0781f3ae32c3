import { toIso } from '../../../base/text/iso.js'
import { counted, countsOf } from '../../../base/text/counted.js'
import type { SavedWorld } from './restore.js'

const STATUSES = ['running', 'queued', 'failed', 'ended'] as const

/** Formats a summary of a saved world: `2 models, 3 running jobs, 1 failed job, at 2026-01-01T00:00:07.000Z`. */
export function contentsOf({ records, now }: SavedWorld): string {
  const models = records.filter(({ kind }) => kind === 'model').length
  const counts = countsOf(
    records.flatMap((record) => (record.kind === 'progress' ? record.state.status : [])),
  )
  const jobs = STATUSES.flatMap((status) => {
    const count = counts.get(status)
    return count === undefined ? [] : counted(count, `${status} job`)
  })
  return [
    counted(models, 'model'),
    ...(jobs.length > 0 ? jobs : ['0 jobs']),
    `at ${toIso(now)}`,
  ].join(', ')
}

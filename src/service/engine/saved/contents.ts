import { toIso } from '../../../base/text/iso.js'
import { counted } from '../../../base/text/counted.js'
import { isOver } from './check-job.js'
import type { SavedWorld } from './restore.js'

/** Formats a summary of a saved world: `12 models, 3 running jobs, since 2026-01-01T00:00:07.000Z`. */
export function contentsOf({ records, now }: SavedWorld): string {
  const models = records.filter(({ kind }) => kind === 'model').length
  const running = records.filter((record) => {
    return record.kind === 'progress' && !isOver(record)
  }).length
  return `${counted(models, 'model')}, ${counted(running, 'running job')}, since ${toIso(now)}`
}

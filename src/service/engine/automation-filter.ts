import { parseJson } from '../../base/text/json-text.js'
import { TRACE_EVENT } from '../../base/text/vendor/platform-names.js'
import type { MadeFacts } from './automation-store.js'

/** The filter of aliases, tags or runs of an automation: JSON with the operators of MongoDB. */
export function filterOf({ event, filter }: Pick<MadeFacts, 'event' | 'filter'>): string {
  // It never happens, and what its conditions look like is not known.
  if (event === TRACE_EVENT) return '{}'
  if (!event.startsWith('RUN_')) return filter
  const { run_filter: ofRuns = '{}' } = Object(parseJson(filter)) as { run_filter?: unknown }
  return typeof ofRuns === 'string' ? ofRuns : JSON.stringify(ofRuns)
}

import type { Run } from '../../platform/run.js'
import { valueAt } from '../../../base/text/value-at.js'
import type { QueryReading } from './bounds.js'

/** A value of a run that filters and orders name. */
export function runValue(run: Run, path: string, reading: QueryReading): unknown {
  const [first = '', ...rest] = path.split('.')
  const read = Object.hasOwn(VALUES, first) ? VALUES[first] : undefined
  const value = read?.(run, reading)
  if (first === 'config') return configValue(value, rest)
  return rest.length > 0 ? valueAt(value, rest) : value
}

/** Clients name a value of the config by its key: `config.lr`. Some add the word below which it is stored. */
function configValue(config: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return config
  const stored = valueAt(config, [key])
  return valueAt(stored, rest[0] === 'value' ? rest : ['value', ...rest])
}

type ReadRun = (run: Run, reading: QueryReading) => unknown

const summaryOf: ReadRun = (run, reading) => reading.object(run.summary)
const creationOf = (run: Run): Date => new Date(run.createdAt)
const heartbeatOf = (run: Run): Date => new Date(run.heartbeatAt)

/** The values of a run by the names that clients use in filters. */
const VALUES: Readonly<Record<string, ReadRun>> = {
  config: (run, reading) => reading.object(run.config),
  summary: summaryOf,
  summary_metrics: summaryOf,
  summaryMetrics: summaryOf,
  created_at: creationOf,
  createdAt: creationOf,
  heartbeat_at: heartbeatOf,
  heartbeatAt: heartbeatOf,
  updatedAt: heartbeatOf,
  name: ({ name }) => name,
  display_name: ({ displayName }) => displayName,
  displayName: ({ displayName }) => displayName,
  username: ({ user }) => user,
  user: ({ user }) => user,
  state: ({ state }) => state,
  tags: ({ tags }) => tags,
  group: ({ group }) => group,
  jobType: ({ jobType }) => jobType,
  host: ({ host }) => host,
  commit: ({ commit }) => commit,
  sweep: ({ sweep }) => sweep,
  notes: ({ notes }) => notes,
}

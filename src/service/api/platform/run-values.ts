import type { Run } from '../../platform/run.js'
import { valueAt } from '../../../base/text/value-at.js'
import type { QueryReading } from './query-reading.js'
import { fieldNamed } from './filter.js'

/** A value of a run that filters and orders name. */
export function runValue(run: Run, path: string, reading: QueryReading): unknown {
  const [first = '', ...rest] = path.split('.')
  const name = fieldNamed(first)
  const read = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined
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
const heartbeatOf = (run: Run): Date => new Date(run.heartbeatAt)

/** The values of a run by their names in filters. */
const VALUES: Readonly<Record<string, ReadRun>> = {
  config: (run, reading) => reading.object(run.config),
  summary: summaryOf,
  summaryMetrics: summaryOf,
  createdAt: ({ createdAt }) => new Date(createdAt),
  heartbeatAt: heartbeatOf,
  updatedAt: heartbeatOf,
  name: ({ name }) => name,
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

import { changesAfter } from '../contract/changes.js'
import { isRecord } from '../contract/pydantic/record.js'
import type { Schema } from '../contract/pydantic/schema.js'
import {
  bodiesIn,
  createSftTrainingJob,
  createTrainingJob,
  logRequest,
} from '../contract/training-job.js'
import type { ContractVersion } from '../contract/versions.js'
import type { RequestEntry } from '../engine/journal.js'
import type { Operation, Result } from './operation.js'

/** Returns the rows as they are in an older contract. */
export function olderRows(rows: readonly Operation[], version: ContractVersion): Operation[] {
  const older = bodiesIn(version)
  const bodies = new Map<Schema<unknown> | undefined, Schema<unknown>>([
    [logRequest, older.logRequest],
    [createTrainingJob, older.createTrainingJob],
    [createSftTrainingJob, older.createSftTrainingJob],
  ])
  return rows.map((row) => {
    const body = bodies.get(row.body)
    return body ? { ...row, body, run: notingIgnored(row.run, version) } : row
  })
}

/** What `run` gets, as far as it is read here. */
interface Ran {
  readonly json: { readonly value?: unknown }
  readonly entry: RequestEntry
}

/** Notes in the journal which fields of a body the older contract ignores, because a newer client sends them. */
function notingIgnored(run: Operation['run'], version: ContractVersion): Operation['run'] {
  const places = changesAfter(version)
    .filter(({ older }) => older === undefined)
    .map(({ path }) => ({ path, keys: path.split('.') }))
  const ran = run as (call: Ran) => Result | Promise<Result>
  return (call: Ran) => {
    const ignored = places.filter(({ keys }) => holds(call.json.value, keys))
    const result = ran(call)
    if (ignored.length > 0) {
      const names = ignored.map(({ path }) => path).join(', ')
      call.entry.effects.push(`ignored fields that contract ${version} does not have: ${names}`)
    }
    return result
  }
}

/** Whether a value has something at a path such as `trajectory_groups[].logs`. */
function holds(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true
  if (!isRecord(value)) return false
  if (!key.endsWith('[]')) return Object.hasOwn(value, key) && holds(value[key], rest)
  const items = value[key.slice(0, -2)]
  return Array.isArray(items) && items.some((item) => holds(item, rest))
}

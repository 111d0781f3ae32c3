import { changesAfter } from '../contract/changes.js'
import { WholeFloat } from '../contract/pydantic/exact.js'
import { parsePythonJson } from '../contract/pydantic/python-json.js'
import { INVALID, Reader } from '../contract/pydantic/reader.js'
import { isRecord } from '../contract/pydantic/record.js'
import type { Schema } from '../contract/pydantic/schema.js'
import { isVersioned } from '../contract/versioned.js'
import type { ContractVersion } from '../contract/versions.js'
import { NonFiniteNumber, nonFiniteJson } from '../../base/text/non-finite.js'
import type { RequestEntry } from '../engine/journal.js'
import type { Operation } from './operation.js'
import { isJsonAnswer, Reply, WrittenReply, type Result } from './result.js'

/** Returns the rows as they are in an older contract. */
export function olderRows(rows: readonly Operation[], version: ContractVersion): Operation[] {
  return rows.map((row) => {
    const older = { ...row }
    if (isVersioned(row.body)) {
      older.body = row.body.in(version)
      older.run = notingIgnored(older.run, version)
    }
    if (isVersioned(row.response)) {
      older.response = row.response.in(version)
      older.run = answeringAs(older.response, older.run)
    }
    return older
  })
}

/** What `run` gets, as far as it is read here. */
interface ContractCall {
  readonly json: { readonly value?: unknown }
  readonly entry: RequestEntry
}

type Run = (call: ContractCall) => Result | Promise<Result>

/** Notes in the journal which fields of a body the older contract ignores, because a newer client sends them. */
function notingIgnored(run: Operation['run'], version: ContractVersion): Run {
  const places = changesAfter(version)
    .filter(({ older, inAnswers }) => older === undefined && !inAnswers)
    .map(({ path }) => ({ path, keys: path.split('.') }))
  return (call: ContractCall) => {
    const ignored = places.filter(({ keys }) => holds(call.json.value, keys))
    const result = (run as Run)(call)
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

/** Leaves out of answers what the older contract does not have, as the framework does with its response model. */
function answeringAs(schema: Schema<unknown>, run: Operation['run']): Run {
  const read = (answer: unknown, isExact = false): Result => {
    const older = schema.read(answer, new Reader(true, undefined, isExact))
    if (older === INVALID)
      throw new Error(`The answer is not a ${schema.label} of an older contract.`)
    return older as Result
  }
  const older = (result: Result): Result => {
    if (isJsonAnswer(result)) return read(result)
    if (result instanceof Reply) return new Reply(result.status, read(result.body), result.headers)
    if (!(result instanceof WrittenReply)) return result
    const parsed = parsePythonJson(result.json)
    if (parsed.kind !== 'value') throw new Error('The answer was written, and is not JSON.')
    return new WrittenReply(nonFiniteJson(writable(read(parsed.value, true))))
  }
  return (call) => {
    const result = (run as Run)(call)
    return result instanceof Promise ? result.then(older) : older(result)
  }
}

/** Turns exact values into those that `nonFiniteJson` writes. */
function writable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return new NonFiniteNumber(value)
  if (value instanceof WholeFloat) return value.value
  if (Array.isArray(value)) return value.map(writable)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, writable(part)]))
}

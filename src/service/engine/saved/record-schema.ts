import type * as z from 'zod'
import { isObject } from '../../../base/text/options.js'
import { frameWithFunctions, savedFrame } from '../saved-frame.js'
import { engineParts } from './engine-parts.js'
import { quickCheck, type Check } from './quick-check.js'
import { place, recordFields, ruleOrPlace } from './record-fields.js'
import type { WorldRecord } from './records.js'

const schemas: ReadonlyMap<unknown, z.ZodType> = new Map(
  engineParts.flatMap((part) => (part.schema ? [[part.kind, part.schema(recordFields)]] : [])),
)
const worldWithFunctions = frameWithFunctions(recordFields)

/**
 * Returns the schema for records of that kind. Undefined for unknown kinds, and for `outgoing` records,
 * which the webhooks check themselves.
 */
export function recordSchema(record: Readonly<Record<string, unknown>>): z.ZodType | undefined {
  const { kind, functions } = record
  if (kind === savedFrame.kind && functions === true) return worldWithFunctions
  return schemas.get(kind)
}

const isPlace = quickCheck(place, { ordered: true })
// The caller checks an object: most jobs have the same rule.
const isRuleOrPlace: Check = (value) => isObject(value) || isPlace(value)
const options = { ordered: true, replaced: new Map([[ruleOrPlace, isRuleOrPlace]]) }
const quickChecks = new Map<unknown, Check>()

/**
 * Whether a record is certainly what its schema accepts without a change, apart from the rule of a job if it is an
 * object. If not, only the schema knows.
 */
export function isSurelyValid(record: unknown): record is WorldRecord {
  const { kind } = Object(record) as { kind?: unknown }
  let check = quickChecks.get(kind)
  if (!check) {
    const schema = schemas.get(kind)
    if (!schema) return false
    check = quickCheck(schema, options)
    quickChecks.set(kind, check)
  }
  return check(record)
}

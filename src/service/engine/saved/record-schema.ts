import type * as z from 'zod'
import { frameWithFunctions, savedFrame } from '../saved-frame.js'
import { engineParts } from './engine-parts.js'
import { recordFields } from './record-fields.js'

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

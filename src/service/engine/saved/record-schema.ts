import type * as z from 'zod'
import { frameWithFunctions, savedFrame } from '../saved-frame.js'
import { engineParts } from './engine-parts.js'
import { recordFields } from './record-fields.js'
import type { AnyPart } from './saved-part.js'

/** Makes the schema of the records of a part. */
export function schemaOf(part: Pick<AnyPart, 'kind' | 'isOne' | 'key' | 'fields'>): z.ZodType {
  const { strictObject, literal, string } = recordFields
  return strictObject({
    kind: literal(part.kind),
    ...(!part.isOne && { key: part.key?.(recordFields) ?? string() }),
    ...part.fields!(recordFields),
  })
}

const schemas: ReadonlyMap<unknown, z.ZodType> = new Map(
  engineParts.map((part) => [part.kind, schemaOf(part)]),
)
const worldWithFunctions = schemaOf(frameWithFunctions)

/**
 * Returns the schema for records of that kind. Undefined for unknown kinds, and for `outgoing` records,
 * which the webhooks check themselves.
 */
export function recordSchema(record: Readonly<Record<string, unknown>>): z.ZodType | undefined {
  const { kind, functions } = record
  if (kind === savedFrame.kind && functions === true) return worldWithFunctions
  return schemas.get(kind)
}

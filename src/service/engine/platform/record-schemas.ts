import type { z } from 'zod'
import type { Field, Fields, ValueKind } from '../../platform/field.js'
import type { SavedOf } from '../../platform/record.js'
import { rowOf } from '../../platform/run-row.js'
import type { FieldsOf, RecordFields } from '../saved/record-fields.js'

const schemas: Readonly<Record<Exclude<ValueKind, 'choice'>, (fields: RecordFields) => z.ZodType>> =
  {
    text: ({ string }) => string(),
    name: ({ string }) => string().min(1),
    jsonObject,
    texts: ({ array, string }) => array(string()),
    moments: ({ array, tuple, string, moment }) => array(tuple([string(), moment])),
    flag: ({ boolean }) => boolean(),
    number: ({ number }) => number(),
    amount: ({ number }) => number().min(0),
    count: ({ count }) => count,
    ordinal: ({ int }) => int().positive(),
    moment: ({ moment }) => moment,
  }

/** A text that is a JSON object. */
function jsonObject({ string }: RecordFields): z.ZodType {
  return string().refine((text) => rowOf(text) !== undefined, {
    error: 'expected a JSON object as a text',
  })
}

function schemaOf(field: Field, fields: RecordFields): z.ZodType {
  const { kind, choices = [], isOptional = false } = field
  const schema = kind === 'choice' ? fields.choice(choices) : schemas[kind](fields)
  return isOptional ? schema.optional() : schema
}

/** Makes the schemas of the fields of a kind of records. */
export function schemasOf<All extends Fields>(
  all: All,
  fields: RecordFields,
): FieldsOf<SavedOf<All>> {
  const entries = Object.entries(all).map(([name, field]) => {
    return [field.savedAs ?? name, schemaOf(field, fields)]
  })
  return Object.fromEntries(entries) as FieldsOf<SavedOf<All>>
}

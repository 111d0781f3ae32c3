import {
  describeField,
  type Extra,
  type Fields,
  prepareRecord,
  type PreparedField,
  type Shape,
} from './fields.js'
import { readFields } from './read-fields.js'
import { isRecord } from './record.js'
import { INVALID, LAX } from './reader.js'
import type { Components, JsonSchema, Schema } from './schema.js'

export interface ModelOptions {
  description?: string
  extra?: Extra
  /** The name of the OpenAPI component, if it differs from the type's. */
  component?: string
  /** Whether the OpenAPI document says that there may be more fields, although `extra` does not allow them. */
  documentedAsOpen?: boolean
}

type Open<T> = T & { [key: string]: unknown }

/** The problem of a value that has no fields. */
export const NO_RECORD = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
} as const

/** Makes a schema that behaves like a pydantic `BaseModel`. */
export function model<F extends Fields>(
  name: string,
  fields: F,
  options: ModelOptions & { extra?: 'ignore' | 'forbid' } = {},
): Schema<Shape<F>> {
  return modelOf(name, fields, options) as Schema<Shape<F>>
}

/** Makes a model that keeps all other fields as they are. */
export function openModel<F extends Fields>(
  name: string,
  fields: F,
  options: Omit<ModelOptions, 'extra'> = {},
): Schema<Open<Shape<F>>> {
  return modelOf(name, fields, { ...options, extra: 'allow' }) as Schema<Open<Shape<F>>>
}

function modelOf(
  name: string,
  fields: Fields,
  options: ModelOptions,
): Schema<Record<string, unknown>> {
  const record = prepareRecord(fields, options.extra)
  return {
    label: name,
    named: true,
    parts: { kind: 'fields', fields: record.all },
    read(input, reader) {
      // FastAPI reads bodies "from attributes". Pydantic does so at every level, so every level has this message.
      if (!isRecord(input)) return reader.refuse(NO_RECORD.type, NO_RECORD.msg, input)
      const output = readFields(record, input, reader)
      // To make a model from a dictionary counts as a conversion.
      if (output !== INVALID) reader.bend(LAX)
      return output
    },
    describe: (components) => describeRecord({ name, fields: record.all, ...options }, components),
  }
}

/**
 * Makes a schema that behaves like a Python `TypedDict`: the value stays a dictionary, and unknown keys are
 * dropped. For an input of another type, the message differs from that of a model.
 */
export function typedDict<F extends Fields>(
  name: string,
  fields: F,
  options: Omit<ModelOptions, 'extra'> = {},
): Schema<Shape<F>> {
  const record = prepareRecord(fields)
  const schema: Schema<Record<string, unknown>> = {
    label: name,
    named: true,
    read(input, reader) {
      if (!isRecord(input))
        return reader.refuse('dict_type', 'Input should be a valid dictionary', input)
      return readFields(record, input, reader)
    },
    describe: (components) => describeRecord({ name, fields: record.all, ...options }, components),
  }
  return schema as Schema<Shape<F>>
}

function describeRecord(
  record: ModelOptions & { name: string; fields: readonly PreparedField[] },
  components: Components,
): JsonSchema {
  const { name, component = name.replaceAll(/[^\w.-]/g, '_') } = record
  const fields = record.fields.filter(({ documented }) => documented)
  if (!(component in components)) {
    const schema: JsonSchema = (components[component] = {})
    const required = fields.filter((field) => field.required).map((field) => field.key)
    Object.assign(schema, {
      properties: Object.fromEntries(
        fields.map((field) => [field.key, describeField(field, components)]),
      ),
      ...((record.extra === 'allow' || record.documentedAsOpen) && { additionalProperties: true }),
      ...(record.extra === 'forbid' && { additionalProperties: false }),
      type: 'object',
      ...(required.length > 0 && { required }),
      title: name,
      ...(record.description !== undefined && { description: record.description }),
    })
  }
  return { $ref: `#/components/schemas/${component}` }
}

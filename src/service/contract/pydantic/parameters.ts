import { describeField, type Extra, type Fields, prepare, type Shape } from './fields.js'
import { refuseUnknownKeys } from './read-fields.js'
import { INVALID, Reader } from './reader.js'
import type { Components, JsonSchema } from './schema.js'
import type { Validation } from './validate.js'

/** The parameters of an operation in its path or in its query. */
export interface Parameters<out T> {
  readonly place: 'path' | 'query'
  /** If a key is repeated, pass its last value. */
  validate(values: Readonly<Record<string, string | undefined>>): Validation<T>
  /** The `parameters` of an OpenAPI operation, one entry for each. */
  describe(components: Components): JsonSchema[]
}

export function parameters<F extends Fields>(
  place: 'path' | 'query',
  fields: F,
  { extra = 'ignore' }: { extra?: Exclude<Extra, 'allow'> } = {},
): Parameters<Shape<F>> {
  const prepared = prepare(fields)
  const known = prepared.map(({ key }) => key)
  return {
    place,
    validate(values) {
      const reader = new Reader(false)
      const value: Record<string, unknown> = {}
      for (const { key, schema, required, makeDefault } of prepared) {
        const mark = reader.problems.length
        const raw = Object.hasOwn(values, key) ? values[key] : undefined
        if (raw !== undefined) {
          const read = schema.read(raw, reader)
          if (read !== INVALID) value[key] = read
        } else if (required) {
          // The problem of a missing field has the record as its input. This one has null.
          reader.refuse('missing', 'Field required', null)
        } else if (makeDefault) {
          value[key] = makeDefault()
        }
        reader.within(mark, key)
      }
      if (extra === 'forbid') refuseUnknownKeys(values, known, reader)
      const problems = reader.located([place])
      return problems.length > 0 ? { ok: false, problems } : { ok: true, value: value as Shape<F> }
    },
    describe: (components) =>
      prepared.map((field) => ({
        name: field.key,
        in: place,
        required: field.required,
        schema: describeField(field, components),
        ...(field.notes.description !== undefined && { description: field.notes.description }),
      })),
  }
}

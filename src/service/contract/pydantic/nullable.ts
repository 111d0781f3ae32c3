import type { JsonSchema, Schema } from './schema.js'

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return {
    label: `nullable[${inner.label}]`,
    ...(inner.named && { named: true }),
    parts: { kind: 'nullable', inner },
    read: (input, reader) => (input === null ? null : inner.read(input, reader)),
    describe(components) {
      const described = inner.describe(components)
      const variants = (described['anyOf'] as JsonSchema[] | undefined) ?? [described]
      return { anyOf: [...variants, { type: 'null' }] }
    },
  }
}

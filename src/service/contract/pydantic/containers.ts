import { keysOf } from './exact.js'
import { isRecord, setOwn } from './record.js'
import { INVALID } from './reader.js'
import type { JsonSchema, Schema } from './schema.js'

export function list<T>(item: Schema<T>): Schema<T[]> {
  return {
    label: `list[${item.label}]`,
    parts: { kind: 'list', item },
    read(input, reader) {
      if (!Array.isArray(input))
        return reader.refuse('list_type', 'Input should be a valid list', input)
      let output: unknown[] = input
      let valid = true
      for (let index = 0; index < input.length; index++) {
        const given: unknown = input[index]
        const mark = reader.problems.length
        const value = item.read(given, reader)
        if (value === INVALID) {
          if (reader.quiet) return INVALID
          reader.within(mark, index)
          valid = false
        } else if (value !== given) {
          if (output === input) output = input.slice()
          output[index] = value
        }
      }
      return valid ? (output as T[]) : INVALID
    },
    describe: (components) => ({ items: item.describe(components), type: 'array' }),
  }
}

/** Makes a schema for an object with any keys. Each value must match the schema `item`. */
export function dictionary<T>(item: Schema<T>): Schema<Record<string, T>> {
  return {
    label: `dict[str,${item.label}]`,
    parts: { kind: 'map', item },
    read(input, reader) {
      if (!isRecord(input))
        return reader.refuse('dict_type', 'Input should be a valid dictionary', input)
      let output = input
      let valid = true
      for (const key of keysOf(input)) {
        const given = input[key]
        const mark = reader.problems.length
        const value = item.read(given, reader)
        if (value === INVALID) {
          if (reader.quiet) return INVALID
          reader.within(mark, key)
          valid = false
        } else if (value !== given) {
          if (output === input) output = { ...input }
          setOwn(output, key, value)
        }
      }
      return valid ? (output as Record<string, T>) : INVALID
    },
    describe(components) {
      const described = item.describe(components)
      const open = Object.keys(described).length === 0
      return { additionalProperties: open ? true : described, type: 'object' }
    },
  }
}

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

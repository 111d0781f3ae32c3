import { INVALID } from './reader.js'
import type { Schema } from './schema.js'

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

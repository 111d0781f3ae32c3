import { isRecord } from './pydantic/record.js'
import { list } from './pydantic/containers.js'
import type { Reader } from './pydantic/reader.js'
import type { Schema } from './pydantic/schema.js'

/**
 * Makes a schema for an array inside a message. The documentation does not say whether its items are checked, so a
 * scenario chooses: see docs/explain/contract.md#message-arrays.
 */
export function messageArray<T>(item: Schema<T>): Schema<unknown> {
  const checked = list(item)
  const unchecked = `generator[${item.label}]`
  return {
    label: checked.label,
    labelIn: (reader) => (hasLists(reader) ? checked.label : unchecked),
    read(input, reader) {
      if (hasLists(reader)) return checked.read(input, reader)
      // Pydantic reads an `Iterable` later, so at this time anything fits that Python can iterate over.
      const isIterable = typeof input === 'string' || Array.isArray(input) || isRecord(input)
      if (isIterable) return input
      return reader.refuse('iterable_type', 'Input should be iterable', input)
    },
    describe: (components) => checked.describe(components),
  }
}

function hasLists({ messageArrays }: Reader): boolean {
  return messageArrays === 'checked' || messageArrays === 'clients'
}

/**
 * Makes a schema for a field of an answer that a client may dump with null. Only the reading `clients` accepts it:
 * see docs/explain/contract.md#message-arrays.
 */
export function nullWhenDumped<T>(schema: Schema<T>): Schema<T | null> {
  return {
    ...schema,
    read: (input, reader) => {
      return input === null && reader.messageArrays === 'clients'
        ? null
        : schema.read(input, reader)
    },
  }
}

import { alternatives } from './python-text.js'
import type { Schema } from './schema.js'

/** The type of the problem if the input is another word. */
export const LITERAL_ERROR = 'literal_error'

/** Makes a schema that accepts one of these words. */
export function literal<const T extends string>(...words: T[]): Schema<T> {
  const expected = alternatives(words)
  const msg = `Input should be ${expected}`
  const [only] = words
  const holds =
    words.length === 1
      ? (input: unknown) => input === only
      : (input: unknown) => words.includes(input as T)
  return {
    label: `literal[${words.map((word) => `'${word}'`).join(',')}]`,
    holds,
    read(input, reader) {
      if (holds(input)) return input as T
      return reader.refuseWith({ type: LITERAL_ERROR, msg, input, ctx: { expected } })
    },
    describe: () =>
      words.length === 1 ? { type: 'string', const: only } : { type: 'string', enum: [...words] },
  }
}

/** Makes a schema that accepts one of these words, and that has a name in the OpenAPI document. */
export function enumeration<const T extends string>(
  name: string,
  words: readonly T[],
  description: string,
): Schema<T> {
  const expected = alternatives(words)
  const msg = `Input should be ${expected}`
  const holds = (input: unknown) => words.includes(input as T)
  return {
    label: name,
    named: true,
    holds,
    read(input, reader) {
      if (holds(input)) return input as T
      return reader.refuseWith({ type: 'enum', msg, input, ctx: { expected } })
    },
    describe(components) {
      components[name] ??= { type: 'string', enum: [...words], title: name, description }
      return { $ref: `#/components/schemas/${name}` }
    },
  }
}

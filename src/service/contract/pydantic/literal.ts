import { alternatives } from './python-text.js'
import type { Schema } from './schema.js'

/** The type of the problem if the input is another word. */
export const LITERAL_ERROR = 'literal_error'

/** Makes a schema that accepts one of these words. */
export function literal<const T extends string>(...words: T[]): Schema<T> {
  return {
    label: `literal[${words.map((word) => `'${word}'`).join(',')}]`,
    ...oneOf(words, LITERAL_ERROR),
    describe: () =>
      words.length === 1
        ? { type: 'string', const: words[0] }
        : { type: 'string', enum: [...words] },
  }
}

/** Makes a schema that accepts one of these words, and that has a name in the OpenAPI document. */
export function enumeration<const T extends string>(
  name: string,
  words: readonly T[],
  description: string,
): Schema<T> {
  return {
    label: name,
    named: true,
    ...oneOf(words, 'enum'),
    describe(components) {
      components[name] ??= { type: 'string', enum: [...words], title: name, description }
      return { $ref: `#/components/schemas/${name}` }
    },
  }
}

/** How a schema reads one of these words. `type` is that of the problem if the input is another one. */
function oneOf<T extends string>(
  words: readonly T[],
  type: string,
): Pick<Schema<T>, 'holds' | 'read'> {
  const expected = alternatives(words)
  const msg = `Input should be ${expected}`
  const holds = (input: unknown): boolean => words.includes(input as T)
  return {
    holds,
    read(input, reader) {
      if (holds(input)) return input as T
      return reader.refuseWith({ type, msg, input, ctx: { expected } })
    },
  }
}

import type { Invalid, Reader } from './reader.js'

export type JsonSchema = Record<string, unknown>

/** The named schemas of an OpenAPI document, filled while schemas are described. */
export type Components = Record<string, JsonSchema>

/**
 * A type as pydantic 2 reads it in lax mode from the value of a JSON document. The values of a query
 * or a path are strings, and lax mode reads those too, so there is no second mode.
 */
export interface Schema<out T> {
  /** What an error location calls this schema when it is a variant of a union. */
  readonly label: string
  /** Whether it is a component of its own: such a field is shown as a reference, without a title. */
  readonly named?: boolean
  /** The value, which is the input itself wherever nothing had to be changed. */
  read(input: unknown, reader: Reader): T | Invalid
  /** Whether the input fits unbent; only schemas without parts can say it this cheaply. */
  holds?: (input: unknown) => boolean
  describe(components: Components): JsonSchema
}

export type Infer<S> = S extends Schema<infer T> ? T : never

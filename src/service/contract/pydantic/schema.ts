import type { Invalid, Reader } from './reader.js'

export type JsonSchema = Record<string, unknown>

/** The named schemas of an OpenAPI document. `describe` adds to them. */
export type Components = Record<string, JsonSchema>

/**
 * A type that reads JSON values as pydantic 2 does in lax mode. Lax mode also reads the strings of queries and
 * paths, so there is no second mode.
 */
export interface Schema<out T> {
  /** The name of this schema in error locations. Used if it is a variant of a union. */
  readonly label: string
  /** The label for this reader, if it depends on how the reader treats arrays in messages. */
  readonly labelIn?: (reader: Reader) => string
  /** Whether it is a component of the OpenAPI document. Fields then refer to it and have no title. */
  readonly named?: boolean
  /** Whether an exact reading gives exact values. Default: they become plain numbers. */
  readonly exact?: boolean
  /** What it is made of. A schema of plain values has none. */
  readonly parts?: SchemaParts
  /** Reads the value. Returns the input itself if nothing had to change. */
  read(input: unknown, reader: Reader): T | Invalid
  /** Whether the input matches without conversion. Only schemas without parts have this shortcut. */
  holds?: (input: unknown) => boolean
  /** Returns the JSON Schema. Adds the named schemas that it needs to `components`. */
  describe(components: Components): JsonSchema
}

/** What a schema is made of. */
export type SchemaParts =
  | { readonly kind: 'fields'; readonly fields: readonly FieldPart[] }
  | { readonly kind: 'list'; readonly item: Schema<unknown> }
  | { readonly kind: 'map'; readonly item: Schema<unknown> }
  | { readonly kind: 'nullable'; readonly inner: Schema<unknown> }
  | { readonly kind: 'anything' }

interface FieldPart {
  readonly key: string
  readonly schema: Schema<unknown>
  readonly required: boolean
  readonly documented: boolean
}

export type Infer<S> = S extends Schema<infer T> ? T : never

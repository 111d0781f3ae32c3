import { valueAt } from '../../base/text/value-at.js'

/** Returns the keys that the schema allows at a path, in all variants that the value can be. */
export function knownKeys(
  path: readonly (string | number)[],
  { schema: root, input }: { schema: unknown; input: unknown },
): string[] {
  let schemas = [root]
  let value = input
  for (const part of path) {
    schemas = schemas.flatMap((schema) => unwrap(schema, value).map((each) => step(each, part)))
    value = valueAt(value, [part])
  }
  const known = schemas
    .flatMap((schema) => unwrap(schema, value))
    .flatMap(({ shape = {} }) => Object.keys(shape))
  return [...new Set(known)]
}

interface Definition {
  innerType?: unknown
  in?: unknown
  element?: unknown
  valueType?: unknown
  options?: readonly unknown[]
  discriminator?: string
  shape?: Record<string, unknown>
}

function definitionOf(schema: unknown): Definition {
  return (schema as { def?: Definition } | undefined)?.def ?? {}
}

/**
 * Unwraps defaults, optionals and transforms. For a union with a discriminator, returns the variant of the
 * value. For another union, returns all variants.
 */
function unwrap(schema: unknown, value: unknown): Definition[] {
  const definition = definitionOf(schema)
  const { innerType, in: source, options, discriminator } = definition
  if (innerType) return unwrap(innerType, value)
  if (source) return unwrap(source, value)
  if (options && discriminator) {
    const chosen = valueAt(value, [discriminator])
    return options.map(definitionOf).filter(({ shape }) => {
      const literal = definitionOf(shape?.[discriminator]) as { values?: readonly unknown[] }
      return literal.values?.includes(chosen)
    })
  }
  return options ? options.flatMap((option) => unwrap(option, value)) : [definition]
}

function step({ element, valueType, shape }: Definition, part: string | number): unknown {
  if (typeof part === 'number') return element
  return shape?.[part] ?? valueType
}

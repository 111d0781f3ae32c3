import type { JsonSchema } from '../../../src/service/contract/pydantic/schema.js'
import { anyValue, oddFor } from './odd-values.js'
import type { Draw } from '../../support/draw.js'

/** Makes values of a schema of an OpenAPI document, some of them with things that are wrong. */
export class ValueMaker {
  readonly #schemas: Readonly<Record<string, JsonSchema>>
  readonly #draw: Draw
  /** The probability of a value that does not match its schema. */
  readonly #wrongness: number

  constructor(schemas: Readonly<Record<string, JsonSchema>>, draw: Draw, wrongness: number) {
    this.#schemas = schemas
    this.#draw = draw
    this.#wrongness = wrongness
  }

  make(schema: JsonSchema): unknown {
    const found = this.#resolved(schema)
    const draw = this.#draw
    if (draw.isHit(this.#wrongness)) return oddFor(found.type, found.format, draw)
    if (Array.isArray(found.anyOf)) return this.make(draw.oneOf(found.anyOf as JsonSchema[]))
    if (found.const !== undefined) return found.const
    if (Array.isArray(found.enum)) return draw.oneOf(found.enum)
    switch (found.type) {
      case 'object':
        return this.#object(found)
      case 'array':
        return this.#list(found)
      case 'null':
        return null
      case 'boolean':
        return draw.isHit(0.5)
      case 'integer':
        return draw.upTo(200) - 20
      case 'number':
        return Math.round((draw.unit() - 0.3) * 1000) / 100
      case 'string':
        return this.#text(found.format)
      default:
        return anyValue(draw)
    }
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const { $ref } = schema
    return typeof $ref === 'string' ? this.#schemas[$ref.split('/').at(-1)!]! : schema
  }

  #object({ properties = {}, required = [], additionalProperties }: JsonSchema): unknown {
    const draw = this.#draw
    const fields = Object.entries(properties as Record<string, JsonSchema>)
    const demanded = new Set(required as string[])
    // A large set of settings is sent in part.
    const rate = fields.length > 12 ? 0.2 : 0.5
    const made: Record<string, unknown> = {}
    for (const [name, schema] of fields) {
      const isThere = demanded.has(name) ? !draw.isHit(this.#wrongness) : draw.isHit(rate)
      if (isThere) made[name] = this.make(schema)
    }
    if (draw.isHit(0.15)) made[draw.oneOf(['extra', 'model_id', 'x'])] = anyValue(draw)
    if (fields.length === 0 && additionalProperties !== undefined) {
      const value = additionalProperties === true ? {} : (additionalProperties as JsonSchema)
      for (let count = draw.upTo(2); count > 0; count--)
        made[draw.text('abé/', 3)] = this.make(value)
    }
    return made
  }

  #list({ items }: JsonSchema): unknown[] {
    const length = this.#draw.oneOf([0, 1, 1, 2, 3])
    return Array.from({ length }, () => this.make((items ?? {}) as JsonSchema))
  }

  #text(format: unknown): string {
    if (format === 'uuid') return '0d2f7a1e-5a6b-4c3d-8e9f-000000000001'
    if (format === 'date-time') return '2026-01-01T00:00:00Z'
    return this.#draw.text('abcdef -é漢😀', this.#draw.upTo(8))
  }
}

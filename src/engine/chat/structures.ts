import { generateSync } from 'json-schema-faker'
import * as z from 'zod'
import type { JsonSchema } from './asked.js'
import { boundedSchema, withoutPatterns } from './bounded-schema.js'

/** With everything first; then with less, for a schema that contains itself has to end somewhere. */
const WAYS = [
  { alwaysFakeOptionals: true },
  { optionalsProbability: 0.5 },
  { optionalsProbability: 0, maxDefaultItems: 0 },
]

const TRIES = 4

const MOST_REMEMBERED = 256

type Check = (value: unknown) => boolean

/** Values that satisfy JSON Schemas. */
export class Structures {
  readonly #checks = new Map<string, Check>()

  /**
   * A value that satisfies the schema, the same for the same seed; null where the schema is none. The
   * library now and then makes one that does not, so each is checked by another.
   */
  make(asked: JsonSchema, seed: number): unknown {
    const schema = boundedSchema(asked)
    const satisfies = this.#checkFor(schema)
    let first: { value: unknown } | undefined
    for (const way of WAYS) {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const made = generate(schema, { ...way, seed: seed + attempt })
        if (!made) continue
        if (satisfies(made.value)) return made.value
        first ??= made
      }
    }
    return first?.value ?? null
  }

  #checkFor(schema: JsonSchema): Check {
    const text = JSON.stringify(schema)
    let check = this.#checks.get(text)
    if (check) return check
    check = checkOf(schema)
    if (this.#checks.size === MOST_REMEMBERED) this.#checks.clear()
    this.#checks.set(text, check)
    return check
  }
}

function generate(
  schema: JsonSchema,
  options: NonNullable<Parameters<typeof generateSync>[1]>,
): { value: unknown } | undefined {
  try {
    // In JSON, as it will be sent: an undefined among it would not be there.
    const text = JSON.stringify(generateSync(schema, options)) as string | undefined
    return text === undefined ? undefined : { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** Where the checking library has no word for something in the schema, all passes. */
function checkOf(schema: JsonSchema): Check {
  try {
    const checked = z.fromJSONSchema(withoutPatterns(schema) as JsonSchema)
    return (value) => checked.safeParse(value).success
  } catch {
    return () => true
  }
}

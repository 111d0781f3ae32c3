import { DURATION, DURATION_PATTERN } from '../../base/text/duration.js'
import { firstFree } from '../../base/text/first-free.js'
import { builtInScenarioNames } from './built-in-names.js'
import { scenarioJsonSchema } from './scenario-json-schema.js'

/** The part of JSON Schema that the schema of scenarios uses, and what editors add to it. */
interface Schema {
  title?: string
  description?: string
  type?: string
  const?: string | number | boolean
  default?: unknown
  enum?: readonly unknown[]
  enumDescriptions?: readonly string[]
  examples?: readonly unknown[]
  pattern?: string
  patternErrorMessage?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  $defs?: Record<string, Schema>
  $ref?: string
}

/** A part that is written again takes this many characters or more, or a reference saves nothing. */
const WORTH_SHARING = 90

/**
 * The JSON Schema of scenario files, as editors need it. It accepts all valid files. Other than in `scenarioJsonSchema`,
 *
 * - the key that distinguishes variants, such as `fault`, has a description and an example,
 * - names complete: operations, built-in scenarios, base models,
 * - durations have a pattern,
 * - parts that repeat are in `$defs`.
 *
 * @param operations - The ids of all operations.
 */
export function editorSchema(operations: readonly string[]): Readonly<Record<string, unknown>> {
  const schema = structuredClone(scenarioJsonSchema()) as Schema
  const baseModels = schema.properties?.base_models?.default as readonly string[]
  const names = new Map<string, readonly string[]>([
    ['operation', operations],
    ['extends', builtInScenarioNames],
    ['base_model', baseModels],
  ])
  visit(schema, (part) => {
    describeVariants(part)
    if (part.title === 'Duration' && part.type === 'string') {
      part.pattern = DURATION_PATTERN
      part.patternErrorMessage = `Expected ${DURATION}.`
    }
    for (const [key, value] of Object.entries(part.properties ?? {})) {
      const known = names.get(key)
      if (known) part.properties![key] = withNames(value, known)
    }
  })
  return shared(schema) as Readonly<Record<string, unknown>>
}

/** Calls `change` with each schema in a schema, the inner ones first. */
function visit(schema: Schema, change: (part: Schema) => void): void {
  for (const part of partsOf(schema)) visit(part, change)
  change(schema)
}

function partsOf(schema: Schema): Schema[] {
  const {
    anyOf = [],
    oneOf = [],
    items,
    properties = {},
    additionalProperties,
    $defs = {},
  } = schema
  const one = [items, additionalProperties].filter((part) => typeof part === 'object')
  return [...anyOf, ...oneOf, ...one, ...Object.values(properties), ...Object.values($defs)]
}

/** Editors show a variant by its title, and complete the key that distinguishes it. */
function describeVariants({ oneOf = [] }: Schema): void {
  for (const variant of oneOf) {
    for (const key of Object.values(variant.properties ?? {})) {
      if (key.const === undefined) continue
      variant.title = String(key.const)
      if (variant.description !== undefined) key.description = variant.description
      key.examples = [key.const]
    }
  }
}

/** Adds names to a text, or to a list of texts, that accepts others as well. */
function withNames(schema: Schema, names: readonly string[]): Schema {
  const { type, anyOf, minLength, ...rest } = schema as Schema & { minLength?: number }
  const listed: Schema = { enum: names }
  if (type === 'string') {
    return { ...rest, anyOf: [listed, { type, ...(minLength !== undefined && { minLength }) }] }
  }
  const branches = (anyOf ?? []).map((branch) =>
    branch.items ? { ...branch, items: { anyOf: [listed, branch.items] } } : branch,
  )
  return { ...rest, anyOf: [listed, ...branches] }
}

/** Moves parts that repeat to `$defs`, each once. */
function shared({ $defs: recursive = {}, ...schema }: Schema): Schema {
  const counts = new Map<string, number>()
  const count = (part: Schema): void => {
    const text = JSON.stringify(part)
    const before = counts.get(text) ?? 0
    counts.set(text, before + 1)
    if (before === 0) partsOf(part).forEach(count)
  }
  const { defs, renamed } = renameRecursive(recursive)
  const whole = renamed(schema)
  partsOf(whole).forEach(count)
  const references = new Map<string, Schema>()
  const share = (part: Schema, name: string): Schema => {
    const text = JSON.stringify(part)
    if ((counts.get(text) ?? 0) < 2 || text.length < WORTH_SHARING) return shareInside(part, name)
    let reference = references.get(text)
    if (!reference) {
      const free = firstFree(name, '_', (each) => each in defs)
      defs[free] = {}
      reference = { $ref: `#/$defs/${free}` }
      references.set(text, reference)
      defs[free] = shareInside(part, name)
    }
    return reference
  }
  const shareInside = (part: Schema, name: string): Schema => {
    const { anyOf, oneOf, items, properties, additionalProperties: others } = part
    const each = (parts: Schema[]): Schema[] => parts.map((inner) => share(inner, name))
    return {
      ...part,
      ...(anyOf && { anyOf: each(anyOf) }),
      ...(oneOf && { oneOf: each(oneOf) }),
      ...(items && { items: share(items, name) }),
      ...(typeof others === 'object' && { additionalProperties: share(others, name) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [key, share(value, key)]),
        ),
      }),
    }
  }
  return { ...shareInside(whole, 'scenario'), $defs: defs }
}

/** Any JSON value is a schema that refers to itself. The converter makes one for each use. All are the same. */
function renameRecursive(recursive: Readonly<Record<string, Schema>>): {
  defs: Record<string, Schema>
  renamed: (schema: Schema) => Schema
} {
  const renamed = (schema: Schema): Schema =>
    JSON.parse(
      JSON.stringify(schema).replaceAll(/#\/\$defs\/__schema\d+/g, '#/$defs/json'),
    ) as Schema
  const texts = new Set(Object.values(recursive).map((each) => JSON.stringify(renamed(each))))
  const [only] = texts
  if (texts.size !== 1 || only === undefined)
    return { defs: { ...recursive }, renamed: (same) => same }
  return { defs: { json: JSON.parse(only) as Schema }, renamed }
}

import { code, inlineYaml } from './markdown.js'

/** The part of JSON Schema that the schemas of the project use. */
export interface JsonSchema {
  title?: string
  type?: string | readonly string[]
  description?: string
  default?: unknown
  const?: string | number | boolean
  enum?: readonly unknown[]
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  properties?: Readonly<Record<string, JsonSchema>>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  required?: readonly string[]
  examples?: readonly unknown[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  $ref?: string
}

/** Returns the schemas of a union. Empty if the schema is none. */
export function branchesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return anyOf ?? oneOf ?? []
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: '`true` or `false`',
  null: '`null`',
  object: 'map',
}

/** Returns the words for a schema that has its own section. Undefined: there is none. */
type NameOf = (schema: JsonSchema, steps: string) => string | undefined

/**
 * Says in words which values a schema accepts.
 *
 * @param steps How the path of the schema goes on from its key: `[]`, `.<name>`.
 */
export function wordsFor(schema: JsonSchema, named: NameOf = () => undefined, steps = ''): string {
  const known = named(schema, steps)
  if (known !== undefined) return known
  const { type, const: only, enum: values, items, additionalProperties: inner } = schema
  const branches = branchesOf(schema)
  if (only !== undefined) return code(String(only))
  if (values) return listOf(values.map((value) => code(String(value))))
  if (branches.length > 0) return wordsForUnion(branches, named, steps)
  if (Array.isArray(type)) {
    return type
      .map((each: string) => wordsFor({ ...schema, type: each }, named, steps))
      .join(' or ')
  }
  if (type === 'array') {
    const words = items ? wordsFor(items, named, `${steps}[]`) : 'any value'
    return words === 'any value' ? 'list' : `list of ${several(words)}`
  }
  if (type === 'object' && typeof inner === 'object') {
    const words = wordsFor(inner, named, `${steps}.<name>`)
    return words === 'any value' ? 'map' : `map of ${several(words)}`
  }
  if (type === 'integer') return `whole number${rangeOf(schema)}`
  if (type === 'number') return `number${rangeOf(schema)}`
  return WORDS[type as string] ?? 'any value'
}

function wordsForUnion(branches: readonly JsonSchema[], named: NameOf, steps: string): string {
  const [first = {}, second, ...others] = branches
  const words = wordsFor(first, named, steps)
  const items = others.length === 0 ? second?.items : undefined
  if (items && wordsFor(items, named, steps) === words) return `${words}, or a list of them`
  return [...new Set(branches.map((branch) => wordsFor(branch, named, steps)))].join(' or ')
}

function several(words: string): string {
  return words.replace(/^(?:whole number|number|text)\b/, '$&s').replace(/^one of /, '')
}

function listOf(words: readonly string[]): string {
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}

function rangeOf({ type, minimum, maximum, exclusiveMinimum: above }: JsonSchema): string {
  const isWhole = type === 'integer'
  const least = isWhole && above !== undefined ? above + 1 : minimum
  if (above !== undefined && !isWhole) {
    return ` above ${above}${isLimit(maximum) ? `, at most ${maximum}` : ''}`
  }
  if (!isLimit(least)) return isLimit(maximum) ? ` up to ${maximum}` : ''
  return isLimit(maximum) ? ` from ${least} to ${maximum}` : ` from ${least}`
}

/** Numbers that are too large are no limit for people. */
function isLimit(limit = Infinity): boolean {
  return Math.abs(limit) < 1e9
}

/** The default of a schema, as code. Empty if there is none. */
export function defaultOf(schema: JsonSchema): string {
  return 'default' in schema && schema.default !== null ? code(inlineYaml(schema.default)) : ''
}

/** Returns a row for each field of an object: its name, type, default and meaning. */
export function fieldRows(
  { properties = {}, required = [] }: JsonSchema,
  wordsOf: (schema: JsonSchema) => string = wordsFor,
): string[][] {
  return Object.entries(properties).map(([name, schema]) => [
    code(name),
    wordsOf(schema),
    required.includes(name) ? 'required' : defaultOf(schema),
    schema.description ?? '',
  ])
}

/** Writes a section for each name, in their order. To write one may name more, which are written, too. */
export function sectionsOf<Named>(
  named: Iterable<readonly [string, Named]>,
  section: (name: string, named: Named) => string[],
): string[] {
  const written: [string, string[]][] = []
  for (const [name, each] of named) written.push([name, section(name, each)])
  return written.sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, text]) => text)
}

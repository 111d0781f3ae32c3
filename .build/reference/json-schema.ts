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
  integer: 'whole number',
  number: 'number',
  null: '`null`',
  object: 'map',
}

/**
 * Says in words which values a schema accepts.
 *
 * @param named Returns the words for a schema that has its own section. Undefined: there is none.
 */
export function wordsFor(
  schema: JsonSchema,
  named: (schema: JsonSchema) => string | undefined = () => undefined,
): string {
  const known = named(schema)
  if (known !== undefined) return known
  const { type, const: only, enum: values, items, additionalProperties: inner } = schema
  const branches = branchesOf(schema)
  if (only !== undefined) return `\`${String(only)}\``
  if (values) return listOf(values.map((value) => `\`${String(value)}\``))
  if (branches.length > 0) return wordsForUnion(branches, named)
  if (Array.isArray(type)) {
    return type.map((each: string) => wordsFor({ ...schema, type: each }, named)).join(' or ')
  }
  if (type === 'array' && items?.enum)
    return `list of ${items.enum.map((value) => `\`${String(value)}\``).join(', ')}`
  if (type === 'array') return items ? `list of ${several(wordsFor(items, named))}` : 'list'
  if (type === 'object' && typeof inner === 'object') {
    const words = wordsFor(inner, named)
    return words === 'any value' ? 'map' : `map of ${several(words)}`
  }
  if (type === 'integer' || type === 'number') return WORDS[type] + rangeOf(schema)
  return WORDS[type as string] ?? 'any value'
}

function wordsForUnion(
  branches: readonly JsonSchema[],
  named: (schema: JsonSchema) => string | undefined,
): string {
  const [first = {}, , ...others] = branches
  const words = wordsFor(first, named)
  const items = branches.at(1)?.items
  if (others.length === 0 && items && wordsFor(items, named) === words) {
    return `${words}, or a list of them`
  }
  return [...new Set(branches.map((branch) => wordsFor(branch, named)))].join(' or ')
}

function several(words: string): string {
  return words.replace(/^(?:whole number|number|text)\b/, '$&s')
}

function listOf(words: readonly string[]): string {
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}

/** Numbers that are too large to be a limit for people. */
const UNLIMITED = 1e9

function rangeOf({ type, minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const most = maximum !== undefined && maximum < UNLIMITED ? maximum : undefined
  const above = type === 'integer' ? undefined : exclusiveMinimum
  const next =
    type === 'integer' && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined
  const least = next ?? (minimum !== undefined && minimum > -UNLIMITED ? minimum : undefined)
  if (above !== undefined) return ` above ${above}${most === undefined ? '' : `, at most ${most}`}`
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`
  if (least !== undefined) return ` from ${least}`
  return most === undefined ? '' : ` up to ${most}`
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

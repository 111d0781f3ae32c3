import { scenarioJsonSchema } from '../../src/service/scenario/scenario-json-schema.js'
import { branchesOf, defaultOf, sectionsOf, wordsFor, type JsonSchema } from './json-schema.js'
import {
  block,
  code,
  explanationOf,
  inlineYaml,
  linkTo,
  pageFrom,
  rowsFrom,
  table,
  yamlText,
} from './markdown.js'

/** An example that is longer does not fit into a cell. */
const LONGEST_EXAMPLE = 60

/** Lists every key of a scenario with its type, default, meaning and an example. */
export function scenarioPage(): string {
  const schema = scenarioJsonSchema() as JsonSchema
  const types = new NamedTypes()
  const parts = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const sections = new Sections(types)
    sections.add(value, key, [])
    if (sections.text.length === 0) return []
    return [`## \`${key}\``, ...introOf(key, value), ...sections.text]
  })
  const keys = new Sections(types)
  keys.addKeys(schema, '')
  return pageFrom('scenario', { keys: keys.text, parts, types: types.sections() })
}

function introOf(key: string, value: JsonSchema): string[] {
  return [`${value.description ?? ''}${explanationOf(key)}`, ...longExamplesOf(key, value)]
}

/** Shows the examples that do not fit into a cell. */
function longExamplesOf(key: string, { examples = [] }: JsonSchema): string[] {
  const [first] = examples
  if (first === undefined || inlineYaml(first).length <= LONGEST_EXAMPLE) return []
  return [block('yaml', yamlText({ [key]: first }))]
}

/** The types that have names. They are described once, at the end of the page. */
class NamedTypes {
  readonly #schemas = new Map<string, JsonSchema>()

  /** Returns a link to the type of a schema. Undefined if it has no name. */
  link(schema: JsonSchema): string | undefined {
    const { title } = schema
    if (title === undefined) return undefined
    const known = this.#schemas.get(title)
    // A list of words has no keys, but the schema of the type itself has them.
    if (known?.description === undefined) this.#schemas.set(title, schema)
    return linkTo(title, title.toLowerCase())
  }

  sections(): string[] {
    return sectionsOf(this.#schemas.entries(), (...named) => this.#section(...named))
  }

  #section(title: string, schema: JsonSchema): string[] {
    const { title: _own, description = '', examples = [], ...plain } = schema
    const sections = new Sections(this)
    sections.add(plain, title, [])
    const shown = examples.map((example) => code(inlineYaml(example))).join(', ')
    // Of all keys, and not only of the first one that uses it.
    const [meaning = description, written = shown] = TYPES.get(title) ?? []
    return [`### ${title}`, meaning, `For example: ${written}.`, ...sections.text]
  }
}

/** Says more about a type than its schema. */
const TYPES = rowsFrom('scenario-types')

/** The sections of one part of a scenario. Types with names are only linked. */
class Sections {
  readonly text: string[] = []
  readonly #types: NamedTypes

  constructor(types: NamedTypes) {
    this.#types = types
  }

  /**
   * Adds what is inside a schema.
   *
   * @param above What stands below the heading of `path`. Empty: the heading exists.
   */
  add(schema: JsonSchema, path: string, above: readonly string[]): void {
    const { items, additionalProperties: values } = schema
    if (this.#types.link(schema) !== undefined) return
    if (schema.properties) this.#addMap(schema, path, above)
    else if (items) this.add(items, `${path}[]`, this.#below(`${path}[]`, items))
    else if (typeof values === 'object') {
      this.add(values, `${path}.<name>`, this.#below(`${path}.<name>`, values))
    } else this.#addUnion(branchesOf(schema), path, above)
  }

  /** Adds the table of keys, without what is inside them. */
  addKeys({ properties = {}, required = [] }: JsonSchema, path: string): void {
    const entries = Object.entries(properties).filter(([, { const: only }]) => only === undefined)
    const rows = entries.map(([key, value]) => [
      code(key),
      this.#wordsFor(value, path === '' ? key : `${path}.${key}`),
      required.includes(key) && !('default' in value)
        ? 'required'
        : defaultOf(value) || saidDefault(value),
      meaningOf(value),
      examplesIn(key, value, path),
    ])
    this.text.push(table(['key', 'type', 'default', 'meaning', 'example'], rows))
  }

  #below(path: string, schema: JsonSchema): string[] {
    return [`### \`${path}\``, meaningOf(schema)]
  }

  #addMap(schema: JsonSchema, path: string, above: readonly string[]): void {
    const { properties = {} } = schema
    if (Object.keys(properties).length === 0) return
    this.text.push(...above)
    this.addKeys(schema, path)
    for (const [key, value] of Object.entries(properties)) {
      const place = `${path}.${key}`
      this.add(value, place, [...this.#below(place, value), ...longExamplesOf(key, value)])
    }
  }

  #addUnion(branches: readonly JsonSchema[], path: string, above: readonly string[]): void {
    const kinds = branches.flatMap((branch) => {
      const kind = kindOf(branch)
      return kind ? [{ ...kind, branch }] : []
    })
    if (kinds.length > 1) this.#addKinds(kinds, path, above)
    // A list of the same as the branch before it has nothing new.
    const others = branches.filter((branch, index) => {
      return !kindOf(branch) && (index === 0 || branch.items === undefined)
    })
    const isMap = (branch: JsonSchema): boolean =>
      branch.properties !== undefined && this.#types.link(branch) === undefined
    const maps = others.filter(isMap)
    if (maps.length > 0) this.text.push(...above)
    for (const branch of others) {
      if (maps.length > 1 && isMap(branch)) this.text.push(formOf(branch))
      this.add(branch, path, maps.length > 0 ? [] : above)
    }
  }

  /** Adds a table of the kinds, the keys that all of them have, and the other keys of each kind. */
  #addKinds(kinds: readonly Kind[], path: string, above: readonly string[]): void {
    const [{ key, branch: example }] = kinds as readonly [Kind]
    const shared = sharedBy(kinds.map(({ branch }) => branch))
    const others = kinds
      .map((kind) => ({ kind, own: withoutKeys(kind.branch, shared) }))
      .filter(({ own }) => Object.keys(own.properties ?? {}).length > 1)
    const rows = kinds.map((kind) => {
      const { value, branch } = kind
      const hasOwn = others.some((other) => other.kind === kind)
      const name = hasOwn ? linkTo(headingOf(kind), code(value)) : code(value)
      return [name, branch.description ?? '', code(inlineYaml(exampleOf(branch)))]
    })
    this.text.push(...above, `\`${key}\` is required. It selects one of these:`)
    this.text.push(table([code(key), 'meaning', 'example'], rows))
    if (Object.keys(shared).length > 0) {
      this.text.push(`All of them have these keys, too:`)
      this.#addMap({ properties: shared, required: requiredIn(example) }, path, [])
    }
    for (const { kind, own } of others) {
      this.#addMap(own, path, [`#### ${headingOf(kind)}`, kind.branch.description ?? ''])
    }
  }

  /** Each map has a section at the path that leads to it. */
  #wordsFor(schema: JsonSchema, path: string): string {
    return wordsFor(schema, (part, steps) => {
      const isMap = part.properties !== undefined || kindOf(branchesOf(part)[0] ?? {})
      return this.#types.link(part) ?? (isMap ? linkTo(path + steps, 'map') : undefined)
    })
  }
}

interface Kind {
  key: string
  value: string
  branch: JsonSchema
}

/** The key that tells the branches of a union apart, with its value: `event`, `training_started`. */
function kindOf(branch: JsonSchema): Kind | undefined {
  const { properties = {} } = branch
  const found = Object.entries(properties).find(([, { const: only }]) => only !== undefined)
  return found && { key: found[0], value: String(found[1].const), branch }
}

function headingOf({ key, value }: Pick<Kind, 'key' | 'value'>): string {
  return `${key}: ${value}`
}

/** Introduces one of several maps that a key accepts. */
function formOf({ description = '', examples = [] }: JsonSchema): string {
  const [first] = examples
  const example = first === undefined ? '' : ` For example: ${code(inlineYaml(first))}.`
  return `**${description.replace(/[.:].*$/, '')}** is a map:${example}`
}

/** The properties that are the same in all branches. */
function sharedBy(branches: readonly JsonSchema[]): Record<string, JsonSchema> {
  const [first = {}, ...others] = branches.map(({ properties = {} }) => properties)
  const entries = Object.entries(first).filter(([key, value]) => {
    return others.every((other) => JSON.stringify(other[key]) === JSON.stringify(value))
  })
  return Object.fromEntries(entries)
}

function withoutKeys(schema: JsonSchema, keys: Readonly<Record<string, unknown>>): JsonSchema {
  const entries = Object.entries(schema.properties ?? {}).filter(([key]) => !(key in keys))
  return { ...schema, properties: Object.fromEntries(entries) }
}

/** The keys without a default that must be there. */
function requiredIn({ required = [], properties = {} }: JsonSchema): string[] {
  return required.filter((key) => !('default' in (properties[key] ?? {})))
}

/** An example of a kind: its own one, or one of its required keys. */
export function exampleOf(branch: JsonSchema): unknown {
  const [own] = branch.examples ?? []
  if (own !== undefined) return own
  const { properties = {} } = branch
  const entries = requiredIn(branch).map((key) => {
    const { const: only, examples = [] } = properties[key] ?? {}
    return [key, only ?? examples[0]]
  })
  return Object.fromEntries(entries)
}

function examplesIn(key: string, { examples = [] }: JsonSchema, path: string): string {
  const texts = examples.map((example) => inlineYaml(example))
  const short = texts.filter((text) => text.length <= LONGEST_EXAMPLE)
  if (short.length > 0 || texts.length === 0) return short.map((text) => code(text)).join(', ')
  const [long = ''] = texts
  // A key of the scenario that is a map or a list has its own section, which shows the example.
  return path === '' && !long.startsWith('.') ? linkTo(key, 'below') : code(long)
}

/** What a description says about the default. */
const DEFAULT = /(?:^|\s)Default: ((?:[^.]|\.(?=\S))*)\.(?=\s|$)/
/** What a description says about a value begins with the value. */
const VALUE = /(?<=^|\. )([\w.-]+): /g

function saidDefault({ description = '' }: JsonSchema): string {
  const [, otherwise = ''] = DEFAULT.exec(description) ?? []
  return /^(?:\d+|true|false)$/.test(otherwise) ? code(otherwise) : otherwise
}

/** The description of a schema without its default, and with values as code. */
function meaningOf({ title, description = '' }: JsonSchema): string {
  const text = description.replace(DEFAULT, '').trim().replaceAll(VALUE, '`$1`: ')
  // The example has its own column.
  return title === 'Duration' ? text.replace(/,? such as \w+(?=[,.])/, '') : text
}

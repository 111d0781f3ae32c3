import { shortJson } from '../../../../base/text/shortened.js'
import { isRecord } from '../../../contract/pydantic/record.js'
import { namesIn, partOf } from '../../../../base/text/json-pointer.js'
import { didYouMean } from '../../../../base/text/nearest.js'
import { Pattern } from './pattern.js'
import { mostInstructions } from './pattern-size.js'
import * as kinds from './shape.js'
import { canonical, Shape } from './shape.js'

const MOST_SCHEMAS = 10_000
/** The most characters of all regular expressions together. */
const LONGEST_PATTERNS = 20_000
/** The most instructions of all regular expressions of a request together. 10,000 take about 50 ms to compile. */
export const MOST_INSTRUCTIONS = 50_000

/** A problem of a schema, with its path. */
export interface SchemaProblem {
  path: string
  message: string
}

export interface Read {
  root: Shape
  shapes: readonly Shape[]
  /** Set if no value can be drawn. */
  problem: SchemaProblem | undefined
  /** The first keyword that has the wrong type. It is left out. */
  malformed: SchemaProblem | undefined
  /** Whether any schema has `unevaluatedProperties` or `unevaluatedItems`. */
  tracks: boolean
  /** The most instructions that its regular expressions can have together. */
  instructions: number
}

/** Reads a JSON Schema of draft 4 to 2020-12, and the schemas that its references lead to. */
export function readSchema(schema: unknown): Read {
  const reader = new Reader(schema)
  return reader.read()
}

export const TOO_MANY_INSTRUCTIONS = `the regular expressions are too large together: compiled, they have more than ${MOST_INSTRUCTIONS.toLocaleString('en')} instructions. Use fewer, or lower repetitions than {1000}.`

type Raw = Readonly<Record<string, unknown>>

class Reader {
  readonly #whole: unknown
  readonly #shapes = new Map<Raw, Shape>()
  readonly #all: Shape[] = []
  readonly #waiting: [Raw, Shape][] = []
  #patterns = 0
  #instructions = 0
  #problem: SchemaProblem | undefined
  #malformed: SchemaProblem | undefined
  #anchors: ReadonlyMap<string, FoundSchema> | undefined

  constructor(whole: unknown) {
    this.#whole = whole
  }

  read(): Read {
    const root = this.#shapeOf(this.#whole, '')
    for (let next = this.#waiting.pop(); next && !this.#problem; next = this.#waiting.pop()) {
      this.#fill(...next)
    }
    const tracks = this.#all.some((shape) => shape.unevaluatedItems ?? shape.unevaluatedProperties)
    const [problem, malformed] = [this.#problem, this.#malformed]
    return { root, shapes: this.#all, problem, malformed, tracks, instructions: this.#instructions }
  }

  #shapeOf(schema: unknown, path: string): Shape {
    if (isRecord(schema)) {
      const known = this.#shapes.get(schema)
      if (known) return known
    }
    const shape = new Shape(path)
    this.#all.push(shape)
    if (isRecord(schema)) {
      this.#shapes.set(schema, shape)
      this.#waiting.push([schema, shape])
    } else {
      shape.never = schema === false
    }
    if (this.#all.length > MOST_SCHEMAS) {
      const most = MOST_SCHEMAS.toLocaleString('en')
      this.#fail('', `the schema consists of more than ${most} schemas. Use a smaller one.`)
    }
    return shape
  }

  #fail(path: string, message: string): void {
    this.#problem ??= { path, message }
  }

  #fill(raw: Raw, shape: Shape): void {
    const keywords = this.#keywordsOf(raw, shape)
    const { take } = keywords
    const type = take('type', `one of ${TYPES}, or a list of them`, isType) ?? Object.keys(NAMED)
    shape.types = [type].flat().reduce((bits, name) => bits | NAMED[name]!, 0)
    shape.lists = this.#listsOf(raw, take)
    fillInPlace(shape, keywords)
    fillNumbers(shape, keywords)
    this.#fillTexts(shape, keywords)
    fillItems(shape, keywords, Array.isArray(raw.items))
    this.#fillProperties(shape, keywords)
    this.#fillDependent(shape, keywords)
    const reference = take('$ref', 'a reference', isText)
    if (reference !== undefined) this.#refer(shape, reference)
    for (const key of ['$dynamicRef', '$recursiveRef']) {
      if (Object.hasOwn(raw, key)) this.#fail(shape.path, `${key} is not supported. Use $ref.`)
    }
  }

  #keywordsOf(raw: Raw, { path }: Shape): Keywords {
    const at = (key: string): string => path + step(key)
    const take: Take = (key, expected, fits) => {
      if (!Object.hasOwn(raw, key)) return undefined
      const value = raw[key]
      if (fits(value)) return value
      this.#malformed ??= {
        path: at(key),
        message: `expected ${expected}, got ${shortJson(value)}`,
      }
      return undefined
    }
    return {
      at,
      take,
      count: (key) => take(key, 'a whole number of at least 0', isCount),
      number: (key) => take(key, 'a number', isNumber),
      schema: (key) => {
        const inner = take(key, 'a JSON Schema', isSchema)
        return inner === undefined ? undefined : this.#shapeOf(inner, at(key))
      },
      schemas: (key) =>
        take(key, 'a list of at least one JSON Schema', isSchemas)?.map((each, index) =>
          this.#shapeOf(each, `${at(key)}[${index}]`),
        ),
      schemasByName: (key) => {
        const named = take(key, 'an object of JSON Schemas', areNamedSchemas) ?? {}
        return mapOf(named, (name, each) => this.#shapeOf(each, at(key) + step(name)))
      },
    }
  }

  #fillTexts(shape: Shape, { at, take, count }: Keywords): void {
    shape.minLength = count('minLength') ?? 0
    shape.maxLength = count('maxLength') ?? Infinity
    shape.format = take('format', 'a text', isText)
    const pattern = take('pattern', 'a text', isText)
    if (pattern !== undefined) shape.pattern = this.#pattern(pattern, at('pattern'))
  }

  #fillProperties(shape: Shape, { at, take, count, schema, schemasByName }: Keywords): void {
    shape.minProperties = count('minProperties') ?? 0
    shape.maxProperties = count('maxProperties') ?? Infinity
    shape.required = [...new Set(take('required', 'a list of names', areTexts) ?? [])]
    shape.properties = schemasByName('properties')
    shape.patternProperties = [...schemasByName('patternProperties')].flatMap(([source, each]) => {
      const found = this.#pattern(source, at('patternProperties') + step(source))
      return found ? { pattern: found, shape: each } : []
    })
    shape.additional = schema('additionalProperties')
    shape.unevaluatedProperties = schema('unevaluatedProperties')
    shape.propertyNames = schema('propertyNames')
  }

  #fillDependent(shape: Shape, { take, schemasByName }: Keywords): void {
    const expected = 'an object of lists of names'
    const names = take('dependentRequired', expected, areNamedTexts) ?? {}
    const required = mapOf(names, (_, each) => each)
    const schemas = schemasByName('dependentSchemas')
    // Draft 7 has one keyword for both.
    const both = take('dependencies', 'an object', isRecord) ?? {}
    for (const [name, each] of Object.entries(both)) {
      if (areTexts(each)) required.set(name, each)
      else if (isSchema(each)) {
        schemas.set(name, this.#shapeOf(each, shape.path + step('dependencies') + step(name)))
      }
    }
    shape.dependentRequired = required
    shape.dependentSchemas = schemas
  }

  #listsOf(raw: Raw, take: Take): kinds.EnumValues[] {
    const lists: (readonly unknown[])[] = []
    const values = take('enum', 'a list', (value) => Array.isArray(value))
    if (values) lists.push(values as unknown[])
    if (Object.hasOwn(raw, 'const')) lists.push([raw.const])
    return lists.map((each) => ({ values: each, texts: new Set(each.map(canonical)) }))
  }

  #pattern(source: string, path: string): Pattern | undefined {
    this.#patterns += source.length
    if (this.#patterns > LONGEST_PATTERNS) {
      const most = LONGEST_PATTERNS.toLocaleString('en')
      this.#fail(path, `the regular expressions have more than ${most} characters together.`)
      return undefined
    }
    if (Pattern.isModerate(source)) this.#instructions += mostInstructions(source)
    if (this.#instructions > MOST_INSTRUCTIONS) {
      this.#fail(path, TOO_MANY_INSTRUCTIONS)
      return undefined
    }
    const pattern = Pattern.read(source)
    const message = `expected a regular expression in RE2 syntax, of moderate size, got ${shortJson(source)}`
    if (!pattern) this.#malformed ??= { path, message }
    return pattern
  }

  #refer(shape: Shape, reference: string): void {
    shape.reference = reference
    const found = this.#find(reference)
    if (found) {
      shape.ref = this.#shapeOf(found.schema, found.path)
      return
    }
    const hint = didYouMean(reference.slice(0, 200), this.#references(), JSON.stringify)
    const message = `the reference ${shortJson(reference)} leads to no schema inside this one.${hint}`
    this.#fail(shape.path, message)
  }

  #find(reference: string): FoundSchema | undefined {
    const id = isRecord(this.#whole) ? this.#whole.$id : undefined
    const isOwn = typeof id === 'string' && reference.startsWith(id)
    const local = isOwn ? reference.slice(id.length) : reference
    if (local === '' || local === '#') return { schema: this.#whole, path: '' }
    if (!local.startsWith('#')) return undefined
    if (!local.startsWith('#/')) return this.#anchor(local.slice(1))
    let schema = this.#whole
    let path = ''
    for (const name of namesIn(local.slice(1))) {
      path += Array.isArray(schema) ? `[${name}]` : step(name)
      schema = partOf(schema, name)
    }
    return isSchema(schema) ? { schema, path } : undefined
  }

  #anchor(name: string): FoundSchema | undefined {
    this.#anchors ??= anchorsIn(this.#whole)
    return this.#anchors.get(name)
  }

  #references(): string[] {
    const whole = isRecord(this.#whole) ? this.#whole : {}
    return ['$defs', 'definitions'].flatMap((key) =>
      Object.keys(Object(whole[key]) as object)
        .slice(0, 100)
        .map((name) => `#/${key}/${name}`),
    )
  }
}

type Take = <T>(
  key: string,
  expected: string,
  fits: (value: unknown) => value is T,
) => T | undefined

/** Reads the keywords of one schema. Leaves out values of the wrong type. */
interface Keywords {
  /** Returns the path of a keyword. */
  at: (key: string) => string
  take: Take
  count: (key: string) => number | undefined
  number: (key: string) => number | undefined
  schema: (key: string) => Shape | undefined
  schemas: (key: string) => Shape[] | undefined
  schemasByName: (key: string) => Map<string, Shape>
}

function fillInPlace(shape: Shape, { schema, schemas }: Keywords): void {
  shape.allOf = schemas('allOf') ?? []
  shape.anyOf = schemas('anyOf')
  shape.oneOf = schemas('oneOf')
  shape.not = schema('not')
  shape.if = schema('if')
  if (!shape.if) return
  shape.ifSo = schema('then')
  shape.ifNot = schema('else')
}

function fillNumbers(shape: Shape, { take, number }: Keywords): void {
  shape.minimum = number('minimum') ?? -Infinity
  shape.maximum = number('maximum') ?? Infinity
  // In draft 4 they are true or false, and say whether `minimum` and `maximum` are exclusive.
  const over = take('exclusiveMinimum', 'a number', isNumberOrBoolean) ?? false
  const under = take('exclusiveMaximum', 'a number', isNumberOrBoolean) ?? false
  if (over !== false) shape.exclusiveMinimum = over === true ? shape.minimum : over
  if (under !== false) shape.exclusiveMaximum = under === true ? shape.maximum : under
  shape.multipleOf = take('multipleOf', 'a number above 0', isAboveZero)
}

/** Before 2020-12, a list in `items` had the meaning of `prefixItems`. */
function fillItems(shape: Shape, keywords: Keywords, isOld: boolean): void {
  const { take, count, schema, schemas } = keywords
  shape.minItems = count('minItems') ?? 0
  shape.maxItems = count('maxItems') ?? Infinity
  shape.uniqueItems = take('uniqueItems', 'true or false', isBoolean) ?? false
  shape.prefix = schemas(isOld ? 'items' : 'prefixItems') ?? []
  shape.items = schema(isOld ? 'additionalItems' : 'items')
  shape.contains = schema('contains')
  shape.minContains = count('minContains') ?? 1
  shape.maxContains = count('maxContains') ?? Infinity
  shape.unevaluatedItems = schema('unevaluatedItems')
}

interface FoundSchema {
  schema: unknown
  path: string
}

/** Finds the schemas that have an `$anchor`. */
function anchorsIn(whole: unknown): Map<string, FoundSchema> {
  const anchors = new Map<string, FoundSchema>()
  const waiting: FoundSchema[] = [{ schema: whole, path: '' }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema, path } = next
    if (typeof schema !== 'object' || schema === null) continue
    if (isRecord(schema) && isText(schema.$anchor)) anchors.set(schema.$anchor, next)
    for (const [key, inner] of Object.entries(schema)) {
      waiting.push({ schema: inner, path: path + (isRecord(schema) ? step(key) : `[${key}]`) })
    }
  }
  return anchors
}

/** Formats one step of a path: `.name`, or `["odd name"]`. */
function step(key: string): string {
  return /^[$\w][\w$-]*$/.test(key) ? `.${key}` : `[${shortJson(key)}]`
}

function mapOf<V, W>(
  record: Readonly<Record<string, V>>,
  change: (name: string, value: V) => W,
): Map<string, W> {
  return new Map(Object.entries(record).map(([name, value]) => [name, change(name, value)]))
}

const NAMED: Readonly<Record<string, number>> = {
  null: kinds.NULL,
  boolean: kinds.BOOLEAN,
  integer: kinds.INTEGER,
  number: kinds.INTEGER | kinds.FRACTION,
  string: kinds.STRING,
  array: kinds.ARRAY,
  object: kinds.OBJECT,
}
const TYPES = Object.keys(NAMED).join(', ')

function isType(value: unknown): value is string | readonly string[] {
  const isName = (each: unknown): boolean => isText(each) && Object.hasOwn(NAMED, each)
  return Array.isArray(value) ? value.length > 0 && value.every(isName) : isName(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isNumberOrBoolean(value: unknown): value is number | boolean {
  return isNumber(value) || typeof value === 'boolean'
}

function isAboveZero(value: unknown): value is number {
  return isNumber(value) && value > 0
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isSchema(value: unknown): value is Raw | boolean {
  return typeof value === 'boolean' || isRecord(value)
}

function isSchemas(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isSchema)
}

function areNamedSchemas(value: unknown): value is Raw {
  return isRecord(value) && Object.values(value).every(isSchema)
}

function areNamedTexts(value: unknown): value is Readonly<Record<string, readonly string[]>> {
  return isRecord(value) && Object.values(value).every(areTexts)
}

import {
  buildSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql'
import { PLATFORM_SCHEMA } from '../../../src/base/text/vendor/platform-schema.js'
import type { InputDraw } from './draws.js'
import { oddNames } from './odd-values.js'

const numbers = [0, 1, 2, 50]
const oddNumbers = [-1, 1000, 10_000, 2 ** 31 - 1, 2 ** 53, 1e21, 0.5]

/** What arguments with a text of their own take, by name. The first one is right. */
const words: Readonly<Record<string, readonly string[]>> = {
  filters: [
    '{"state": "finished"}',
    '{"$and": [{"config.lr": {"$gt": 0}}, {"$or": []}]}',
    '{"name": {"$regex": "(a+)+$"}}',
    '{"$nope": 1}',
    '{',
    '[]',
    `${'{"$not":'.repeat(300)}{}${'}'.repeat(300)}`,
    `{"$or": [${'{"name": "a"},'.repeat(300)}{}]}`,
    '{"__proto__": {"polluted": 1}}',
  ],
  order: ['-created_at', '+config.lr', 'x'.repeat(5000), '-', '__proto__'],
  after: ['', 'MQ==', '-1', 'x', '99999999999999999999'],
  specs: ['{"keys": ["loss"], "samples": 10}', '{"keys": "loss"}', '{', '[]', '{"samples": 1e12}'],
  metadata: ['{}', '{"rows": 2}', '{', '[]', '{"__proto__": 1}', '"x"'],
  config: ['{"lr": 0.1}', '{', '[1]', 'null'],
}

const schema = buildSchema(PLATFORM_SCHEMA)
const composites = Object.values(schema.getTypeMap()).filter((type) => isCompositeType(type))
const fieldNames = composites.flatMap((type) => {
  return isUnionType(type) ? [] : Object.keys(type.getFields())
})

/** The body of a call. */
export interface Document {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

/** Draws one document, with its variables. Its words have spaces between them. */
export class DocumentDraw {
  readonly #draw: InputDraw
  readonly #known: readonly string[]
  readonly #variables: Record<string, unknown> = {}
  readonly #declared: string[] = []
  /** The types for which it has a fragment. Fragments may use each other, and themselves. */
  readonly #fragments = new Set<GraphQLNamedType>()
  /** How likely mistakes are: in some documents there is none. */
  readonly #mistakes: number
  /** How many more fields the document may have. Bounds have inputs of their own. */
  #left = 40

  constructor(draw: InputDraw, known: readonly string[]) {
    this.#draw = draw
    this.#known = known
    this.#mistakes = draw.oneOf([0, 0, 0.3, 1])
  }

  /** Whether a mistake is made here. */
  #errs(rate: number): boolean {
    return this.#draw.isHit(rate * this.#mistakes)
  }

  body(): Document {
    const draw = this.#draw
    const kind = this.#errs(0.1) ? 'subscription' : draw.oneOf(['query', 'query', 'mutation'])
    const root = kind === 'mutation' ? schema.getMutationType()! : schema.getQueryType()!
    const selection = draw.isHit(0.04) ? this.#large() : this.#selection(root, 1 + draw.below(5))
    const fragments: string[] = []
    // A fragment may ask for further ones, which are visited as well.
    for (const type of this.#fragments) {
      if (this.#errs(0.1)) continue
      const on = this.#errs(0.1) ? draw.oneOf(composites) : type
      fragments.push(`fragment F${type.name} on ${on.name} ${this.#selection(type, 2)}`)
    }
    const declared = this.#declared.length === 0 ? '' : `( ${this.#declared.join(' ')} )`
    const head = this.#errs(0.1) ? '' : `${kind} ${draw.oneOf(['Some', 'Other'])} ${declared}`
    const second = this.#errs(0.1) ? 'query Other { __typename }' : ''
    const names = ['Some', 'Other', '', 'x'.repeat(200)]
    return {
      query: [head, selection, ...fragments, second].join(' '),
      variables: this.#variables,
      ...(this.#errs(0.3) && { operationName: draw.oneOf(names) }),
    }
  }

  /** A selection that goes to one of the bounds. */
  #large(): string {
    const count = this.#draw.oneOf([20, 30, 100, 299, 301, 1000])
    const inEntity = '{ project (name:"verse") { entity {'
    const pages = ['projects', 'runs', 'files'].map((name) => {
      return `${name}(first:${this.#draw.oneOf(oddNumbers)}) { edges { node {`
    })
    return this.#draw.oneOf([
      `{ ${Array.from({ length: count }, (_, index) => `a${index}:viewer{id}`).join(' ')} }`,
      `{ ${'viewer{id} '.repeat(count)} }`,
      `{ viewer { ${'teams{edges{node{ '.repeat(count)} id`,
      `${inEntity} ${pages.join(' ')} id`,
      `{ __schema { ${'types{fields{type{ '.repeat(count % 9)} name`,
      `${inEntity} id } #${'x'.repeat(count * 200)}\n } }`,
    ])
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    const count = 1 + this.#draw.below(type === schema.getMutationType() ? 1.2 : 4)
    const parts = Array.from({ length: count }, (_, place) => this.#part(type, depth, place))
    return `{ ${parts.join(' ')} }`
  }

  /** @param place - Where it is in its selection. Two fields of one name have different places. */
  #part(type: GraphQLNamedType, depth: number, place: number): string {
    const draw = this.#draw
    if (this.#left-- <= 0 || draw.isHit(0.03)) return '__typename'
    if (draw.isHit(0.04) && type !== schema.getMutationType()) {
      this.#fragments.add(type)
      return `... F${type.name}`
    }
    if (isUnionType(type)) return this.#inline(draw.oneOf(type.getTypes()), depth)
    if (draw.isHit(0.05)) {
      return this.#inline(this.#errs(0.3) ? draw.oneOf(composites) : type, depth)
    }
    if (this.#errs(0.02)) return draw.oneOf(fieldNames)
    const fields = Object.values((type as GraphQLObjectType).getFields())
    const alias = place > 0 && !this.#errs(0.1) ? `a${place}: ` : ''
    return alias + this.#field(draw.oneOf(fields), depth)
  }

  #inline(type: GraphQLNamedType, depth: number): string {
    return `... on ${type.name} ${this.#selection(type, depth - 1)}`
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const draw = this.#draw
    const type = getNamedType(field.type)
    const given = field.args.filter(({ type: its }) => {
      return isNonNullType(its) ? !this.#errs(0.03) : draw.isHit(0.4)
    })
    const args = given.map(({ name, type: its }) => `${name}: ${this.#argument(name, its)}`)
    const directives = this.#errs(0.3)
      ? ['@include', '@nope', '@skip(if:1)']
      : ['@include(if:true)']
    return [
      field.name,
      ...(args.length > 0 ? [`( ${args.join(' ')} )`] : []),
      ...(draw.isHit(0.04) ? [draw.oneOf(directives)] : []),
      ...(isCompositeType(type) !== this.#errs(0.01) ? [this.#inside(type, depth)] : []),
    ].join(' ')
  }

  /** The selection of a field. A type without fields has none, which is a mistake here. */
  #inside(type: GraphQLNamedType, depth: number): string {
    const isDeep = !isCompositeType(type) || depth <= 0
    return isDeep ? '{ __typename }' : this.#selection(type, depth - 1)
  }

  /** A value in the document, or a variable. */
  #argument(name: string, type: GraphQLInputType): string {
    const draw = this.#draw
    if (!draw.isHit(isInputObjectType(getNamedType(type)) ? 0.6 : 0.25)) {
      return literal(this.#value(name, type), type)
    }
    const variable = `v${this.#declared.length}`
    const wrong = ['Int', 'String!', '[ID]', 'Nope']
    this.#declared.push(`$${variable}:${this.#errs(0.05) ? draw.oneOf(wrong) : String(type)}`)
    if (!this.#errs(0.05)) this.#variables[variable] = this.#value(name, type)
    return `$${variable}`
  }

  #value(name: string, type: GraphQLInputType): unknown {
    const draw = this.#draw
    if (this.#errs(0.03)) return draw.oneOf([null, 1e9, 'x', [], {}, true, [[[]]]])
    if (isNonNullType(type)) return this.#value(name, type.ofType)
    if (isListType(type)) {
      const length = this.#errs(0.01) ? 5000 : draw.below(4)
      const item = this.#value(name, type.ofType)
      return Array.from({ length }, () => (length > 10 ? item : this.#value(name, type.ofType)))
    }
    if (isEnumType(type)) return draw.oneOf(type.getValues().map((each) => each.name))
    if (isInputObjectType(type)) {
      const wanted = Object.values(type.getFields()).filter((field) => {
        return isNonNullType(field.type) ? !this.#errs(0.02) : draw.isHit(0.5)
      })
      return Object.fromEntries(
        wanted.map((each) => [each.name, this.#value(each.name, each.type)]),
      )
    }
    if (type.name === 'Boolean') return draw.isHit(0.5)
    if (['Int', 'Int64', 'Float'].includes(type.name)) {
      return draw.oneOf(this.#errs(0.3) ? oddNumbers : numbers)
    }
    const own = words[name]
    if (own) return this.#errs(0.5) ? draw.oneOf(own) : own[0]
    return this.#errs(0.5) ? draw.oneOf(oddNames) : draw.oneOf(this.#known)
  }
}

/** Writes a value in a document. */
function literal(value: unknown, type: GraphQLInputType): string {
  const inner = getNamedType(type)
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, inner)).join(' ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(inner) ? inner.getFields() : {}
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}:${literal(each, fields[name]?.type ?? inner)}`)
      .join(' ')}}`
  }
  return isEnumType(inner) && typeof value === 'string' ? value : JSON.stringify(value)
}

import {
  buildSchema,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isUnionType,
  Kind,
  OperationTypeNode,
  parse,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql'
import { PLATFORM_SCHEMA } from '../../../src/base/text/vendor/platform-schema.js'
import type { Emulator } from '../../../src/index.js'
import type { Draw } from '../../support/draw.js'
import { basic, besideTraining } from '../../support/graphql.js'
import { aRun, aVersion } from '../../support/platform-records.js'
import { assertSame, emptyEmulator, stateOf } from './look.js'
import { kindOf, type StartKind } from './kind.js'
import { drawEdits, drawMutations, edited, mutated, type Edit, type Mutation } from './mutations.js'

interface QueryInput {
  /** The body of the call. Its query is a list of words, so that a smaller input has fewer of them. */
  readonly value: unknown
  readonly mutations: readonly Mutation[]
  readonly edits: readonly Edit[]
}

const schema = buildSchema(PLATFORM_SCHEMA)
const composites = Object.values(schema.getTypeMap()).filter((type) => isCompositeType(type))
const fieldNames = composites.flatMap((type) => {
  return isUnionType(type) ? [] : Object.keys(type.getFields())
})

const numbers = [0, 1, 2, 50]
const oddNumbers = [-1, 1000, 10_000, 2 ** 31 - 1, 2 ** 53, 1e21, 0.5]

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

const odd = [
  '',
  ' ',
  '.',
  '..',
  '../x',
  '/etc/passwd',
  'a/b',
  'C:\\x',
  'a:b',
  'v0',
  'v1',
  'latest',
  'x',
  '\u0000',
  '\ud800',
  '%2e%2e',
  '💥',
  '1B2M2Y8AsgTpgAmY7PhCfg==',
  'x'.repeat(2000),
  '__proto__',
]

/** Draws one document, with its variables. */
class DocumentDraw {
  readonly #draw: Draw
  readonly #known: readonly string[]
  readonly #variables: Record<string, unknown> = {}
  readonly #declared: string[] = []
  /** The types for which it has a fragment. Fragments may use each other, and themselves. */
  readonly #fragments = new Set<GraphQLNamedType>()
  /** How likely mistakes are: in some documents there is none. */
  readonly #mistakes: number
  /** How many more fields the document may have. Bounds have inputs of their own. */
  #left = 40

  constructor(draw: Draw, known: readonly string[]) {
    this.#draw = draw
    this.#known = known
    this.#mistakes = draw.oneOf([0, 0, 0.3, 1])
  }

  /** Whether a mistake is made here. */
  #errs(rate: number): boolean {
    return this.#draw.isHit(rate * this.#mistakes)
  }

  body(): unknown {
    const draw = this.#draw
    const kind = this.#errs(0.1) ? 'subscription' : draw.oneOf(['query', 'query', 'mutation'])
    const root = kind === 'mutation' ? schema.getMutationType()! : schema.getQueryType()!
    const selection = draw.isHit(0.04) ? this.#large() : this.#selection(root, 1 + draw.below(5))
    const defined: string[] = []
    // A fragment may ask for further ones, which are visited as well.
    for (const type of this.#fragments) {
      if (this.#errs(0.1)) continue
      const on = this.#errs(0.1) ? draw.oneOf(composites) : type
      defined.push('fragment', `F${type.name}`, 'on', on.name, ...this.#selection(type, 2))
    }
    const variables = this.#declared.length === 0 ? [] : ['(', ...this.#declared, ')']
    const head = this.#errs(0.1) ? [] : [kind, draw.oneOf(['Some', 'Other']), ...variables]
    const second = this.#errs(0.1) ? ['query', 'Other', '{', '__typename', '}'] : []
    const names = ['Some', 'Other', '', 'x'.repeat(200)]
    return {
      query: [...head, ...selection, ...defined, ...second],
      variables: this.#variables,
      ...(this.#errs(0.3) && { operationName: draw.oneOf(names) }),
    }
  }

  /** A selection that goes to one of the bounds. */
  #large(): string[] {
    const draw = this.#draw
    const count = draw.oneOf([20, 30, 100, 299, 301, 1000])
    const deep = ['project', '(name:"verse")', '{', 'entity', '{']
    const page = (name: string) => [
      `${name}(first:${draw.oneOf(oddNumbers)})`,
      '{',
      'edges',
      '{',
      'node',
      '{',
    ]
    return draw.oneOf<() => string[]>([
      () => ['{', ...Array.from({ length: count }, (_, i) => `a${i}:viewer{id}`), '}'],
      () => ['{', ...Array.from({ length: count }, () => 'viewer{id}'), '}'],
      () => ['{', 'viewer', '{', ...Array.from({ length: count }, () => 'teams{edges{node{'), 'id'],
      () => ['{', ...deep, ...page('projects'), ...page('runs'), ...page('files'), 'id'],
      () => ['{', '__schema', '{', ...'types{fields{type{'.repeat(count % 9).split('}'), 'name'],
      () => ['{', ...deep, 'id', '}', `#${'x'.repeat(count * 200)}\n`, '}', '}'],
    ])()
  }

  #selection(type: GraphQLNamedType, depth: number): string[] {
    const draw = this.#draw
    const count = 1 + draw.below(type === schema.getMutationType() ? 1.2 : 4)
    const parts = Array.from({ length: count }, (_, place) => this.#part(type, depth, place))
    return ['{', ...parts.flat(), '}']
  }

  /** @param place - Where it is in its selection. Two fields of one name have different places. */
  #part(type: GraphQLNamedType, depth: number, place: number): string[] {
    const draw = this.#draw
    const isMutation = type === schema.getMutationType()
    if (this.#left-- <= 0 || draw.isHit(0.03)) return ['__typename']
    if (draw.isHit(0.04) && !isMutation) {
      this.#fragments.add(type)
      return ['...', `F${type.name}`]
    }
    if (isUnionType(type)) return this.#inline(draw.oneOf(type.getTypes()), depth)
    if (draw.isHit(0.05))
      return this.#inline(this.#errs(0.3) ? draw.oneOf(composites) : type, depth)
    if (this.#errs(0.02)) return [draw.oneOf(fieldNames)]
    const fields = Object.values((type as GraphQLObjectType).getFields())
    const alias = place > 0 && !this.#errs(0.1) ? [`a${place}:`] : []
    return [...alias, ...this.#field(draw.oneOf(fields), depth)]
  }

  #inline(type: GraphQLNamedType, depth: number): string[] {
    return ['...', 'on', type.name, ...this.#selection(type, depth - 1)]
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string[] {
    const draw = this.#draw
    const type = innermost(field.type)
    const given = field.args.filter(({ type: its }) => {
      return isNonNullType(its) ? !this.#errs(0.03) : draw.isHit(0.4)
    })
    const args = given.flatMap(({ name, type: its }) => [`${name}:`, ...this.#argument(name, its)])
    const directives = this.#errs(0.3)
      ? ['@include', '@nope', '@skip(if:1)']
      : ['@include(if:true)']
    const directive = draw.isHit(0.04) ? [draw.oneOf(directives)] : []
    const wants = isCompositeType(type) !== this.#errs(0.01)
    const inner = isCompositeType(type) && depth > 0 ? this.#selection(type, depth - 1) : NAME_ONLY
    return [
      field.name,
      ...(args.length > 0 ? ['(', ...args, ')'] : []),
      ...directive,
      ...(wants ? inner : []),
    ]
  }

  /** A value in the document, or a variable. */
  #argument(name: string, type: GraphQLInputType): string[] {
    const draw = this.#draw
    if (!draw.isHit(isInputObjectType(innermostInput(type)) ? 0.6 : 0.25)) {
      return [literal(this.#value(name, type), type)]
    }
    const variable = `v${this.#declared.length}`
    const declared = this.#errs(0.05)
      ? draw.oneOf(['Int', 'String!', '[ID]', 'Nope'])
      : String(type)
    this.#declared.push(`$${variable}:${declared}`)
    if (!this.#errs(0.05)) this.#variables[variable] = this.#value(name, type)
    return [`$${variable}`]
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
    if (['Int', 'Int64', 'Float'].includes(type.name))
      return draw.oneOf(this.#errs(0.3) ? oddNumbers : numbers)
    const own = words[name]
    if (own) return this.#errs(0.5) ? draw.oneOf(own) : own[0]
    return this.#errs(0.5) ? draw.oneOf(odd) : draw.oneOf(this.#known)
  }
}

const NAME_ONLY = ['{', '__typename', '}']

function innermost(type: GraphQLOutputType): GraphQLNamedType {
  return isNonNullType(type) || isListType(type) ? innermost(type.ofType) : type
}

function innermostInput(type: GraphQLInputType): GraphQLInputType {
  return isNonNullType(type) || isListType(type) ? innermostInput(type.ofType) : type
}

/** Writes a value in a document. */
function literal(value: unknown, type: GraphQLInputType): string {
  const inner = innermostInput(type)
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, inner)).join(' ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(inner) ? inner.getFields() : {}
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}:${literal(each, fields[name]?.type ?? inner)}`)
      .join(' ')}}`
  }
  return isEnumType(inner) && typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether a query that has errors may have changed something: one of its other fields, before or around them. */
function mayChange(query: unknown, errors: readonly { path?: readonly unknown[] }[]): boolean {
  if (errors.some(({ path = [] }) => path.length > 1)) return true
  try {
    const { definitions } = parse(String(query))
    return definitions.some((each) => {
      if (each.kind !== Kind.OPERATION_DEFINITION || each.operation !== OperationTypeNode.MUTATION)
        return false
      const { selections } = each.selectionSet
      return selections.length > 1 || selections[0]!.kind !== Kind.FIELD
    })
  } catch {
    return false
  }
}

/** Puts a run and an artifact into a fresh world. Returns the ids and names that queries can use. */
async function populate(emulator: Emulator): Promise<string[]> {
  emulator.reset()
  await emulator.ready()
  const { platform } = emulator.engine
  const run = aRun(emulator)
  const { artifact = '' } = aVersion(emulator)
  const version = platform.artifacts.get(artifact)
  const place = { entity: 'local-team', project: 'registry', collection: 'data' }
  const link = platform.artifacts.links.link(version, place, { user: 'ada' })
  const which = { entity: 'local-team', project: 'verse', name: run['run']! }
  const pending = platform.artifacts.create(
    { ...place, project: 'verse', collection: 'draft', type: 'dataset' },
    { digest: '0' },
    { user: 'ada' },
  )
  return [
    'local-team',
    'verse',
    'registry',
    'rows',
    'rows:latest',
    'data',
    'draft',
    'dataset',
    'poem',
    artifact,
    pending.id,
    version.source.id,
    link.collection.id,
    platform.runs.get(which).id,
    run['file']!,
    'a.txt',
    'loss',
  ]
}

const MOST_IN_A_WORLD = 200

/** Documents of GraphQL about runs and artifacts: valid, broken, deep, wide, and with cycles. */
export const startQueries: StartKind = async () => {
  const emulator = emptyEmulator()
  const known = await populate(emulator)
  let tried = 0
  return kindOf<QueryInput>({
    draw(draw) {
      const one = (): unknown => new DocumentDraw(draw, known).body()
      const value = draw.isHit(0.01) ? [one(), one()] : one()
      const mutations = draw.isHit(0.15) ? drawMutations(draw, value, { most: 3 }) : []
      const edits = draw.isHit(0.03) ? drawEdits(draw, 2) : []
      return { value, mutations, edits }
    },

    async attempt({ value, mutations, edits }) {
      if (++tried % MOST_IN_A_WORLD === 0) await populate(emulator)
      const before = stateOf(emulator)
      const body = withText(mutated(value, mutations))
      // There may be nothing left of it.
      const text = body === undefined ? '' : edited(JSON.stringify(body), edits)
      const response = await emulator.fetch(
        besideTraining({ emulator, fetch: emulator.fetch }, '/graphql'),
        {
          method: 'POST',
          headers: { authorization: basic('any-key') },
          body: text,
        },
      )
      const answer = await response.text()
      const { errors = [] } = JSON.parse(answer) as {
        errors?: { message: string; path?: unknown[] }[]
      }
      const failed = errors.some(({ message }) => message === 'Internal Server Error')
      if (failed || !STATUSES.includes(response.status)) {
        const { entries } = emulator.journal
        const note = entries.findLast((each) => each.kind === 'note')
        const call = entries.findLast((each) => each.kind === 'request')
        const stack = (call?.fault as Error | undefined)?.stack ?? note?.stack
        throw new Error(
          `A query is answered with ${response.status}: ${answer.slice(0, 500)} ${stack}`,
        )
      }
      if (response.status === 200 && errors.length === 0) return 'accepted'
      const { query } = Object(body) as { query?: unknown }
      if (edits.length > 0 || mayChange(query, errors)) return 'refused'
      assertSame(before, stateOf(emulator))
      return 'refused'
    },

    end: () => emulator.close(),
  })
}

/** The statuses of refusals. Clients read the last three when they make or delete an automation. */
const STATUSES = [200, 400, 404, 409, 413]

/** Joins the words of a query. */
function withText(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withText)
  const { query } = Object(body) as { query?: unknown }
  return Array.isArray(query) ? { ...(body as object), query: query.join(' ') } : body
}

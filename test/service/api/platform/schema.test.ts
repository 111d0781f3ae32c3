import fc from 'fast-check'
import {
  buildSchema,
  getIntrospectionQuery,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import { createEmulator } from '../../../../src/index.js'
import { graphql } from '../../../support/graphql.js'
import { aRun, aVersion } from '../../../support/platform-records.js'
import { opened } from '../../../support/snapshots.js'

const schema = buildSchema(PLATFORM_SCHEMA)

function populated() {
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  const run = aRun(emulator)
  const { artifact = '' } = aVersion(emulator)
  const { platform } = emulator.engine
  const author = { user: 'ada' }
  const place = { entity: 'local-team', project: 'registry', collection: 'data' }
  platform.artifacts.links.link(platform.artifacts.get(artifact), place, author)
  platform.artifacts.use(
    platform.artifacts.get(artifact),
    platform.runs.get({
      entity: 'local-team',
      project: 'verse',
      name: run['run']!,
    }),
  )
  return { api: { emulator, fetch: emulator.fetch }, artifact }
}

/** Values of the arguments that a field needs. */
function valueOf(name: string, type: GraphQLInputType, ids: { artifact: string }): string {
  if (isNonNullType(type)) return valueOf(name, type.ofType, ids)
  if (isListType(type)) return `[${valueOf(name, type.ofType, ids)}]`
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (isInputObjectType(type)) return '{}'
  if (name === 'id') return JSON.stringify(ids.artifact)
  if (name === 'specs') return String.raw`"{\"keys\": [\"loss\"]}"`
  const known: Record<string, string> = {
    name: 'rows',
    aliasName: 'latest',
    entityName: 'local-team',
  }
  return type.name === 'Int' || type.name === 'Int64' ? '1' : JSON.stringify(known[name] ?? 'x')
}

function selectionOf(type: GraphQLOutputType, depth: number, ids: { artifact: string }): string {
  if (isNonNullType(type) || isListType(type)) return selectionOf(type.ofType, depth, ids)
  if (isLeafType(type)) return ''
  if (isUnionType(type)) {
    return `{ ${type
      .getTypes()
      .map((each) => `... on ${each.name} ${selectionOf(each, depth, ids)}`)
      .join(' ')} }`
  }
  const fields = Object.values(type.getFields()).flatMap((field) => fieldOf(field, depth, ids))
  return `{ __typename ${fields.join(' ')} }`
}

function fieldOf(
  { name, args, type }: GraphQLField<unknown, unknown>,
  depth: number,
  ids: { artifact: string },
): string[] {
  const named = innermost(type)
  if (isCompositeType(named) && depth === 0) return []
  const needed = args.filter((arg) => isNonNullType(arg.type) || arg.name === 'entityName')
  const given = needed.map((arg) => `${arg.name}: ${valueOf(arg.name, arg.type, ids)}`)
  const call = given.length > 0 ? `(${given.join(', ')})` : ''
  return [`${name}${call} ${selectionOf(type, depth - 1, ids)}`]
}

function innermost(type: GraphQLOutputType): GraphQLOutputType {
  return isNonNullType(type) || isListType(type) ? innermost(type.ofType) : type
}

describe('the schema of runs and artifacts', () => {
  const query = schema.getQueryType()!

  it.each(Object.keys(query.getFields()))('answers every field below %s', async (name) => {
    const { api, artifact } = populated()
    const [text] = fieldOf(query.getFields()[name]!, 3, { artifact })
    const answer = await graphql(api, `{ ${text} }`)
    expect(answer.errors).toBeUndefined()
    expect(answer.status).toBe(200)
  })

  it('describes itself to clients that probe it', async () => {
    const { api } = populated()
    const answer = await graphql(api, getIntrospectionQuery())
    expect(answer.errors).toBeUndefined()
    const probe = `query ProbeInput($type: String!) { __type(name: $type) { inputFields { name } } }`
    const { data } = await graphql(api, probe, { type: 'CreateArtifactInput' })
    expect(data.__type.inputFields).toContainEqual({ name: 'historyStep' })
  })

  it.each([
    [
      'depth',
      `{ viewer ${'{ organizations { orgEntity { organization '.repeat(9)}{ id }${'} } }'.repeat(9)} }`,
    ],
    ['depth', `{ viewer ${'{ teams { edges { node '.repeat(540)}{ id }${'} } }'.repeat(540)} }`],
    ['aliases', `{ ${Array.from({ length: 301 }, (_, i) => `a${i}: viewer { id }`).join(' ')} }`],
    ['tokens', `{ ${'viewer { id } '.repeat(2000)} }`],
    ['characters', `{ viewer { id } } #${'x'.repeat(100_000)}`],
    [
      'cost',
      '{ models(first: 10000) { edges { node { runs(first: 10000) { edges { node { id } } } } } } }',
    ],
    [
      'fragments',
      `{ ...F0 } ${Array.from({ length: 12 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(' ')} fragment F12 on Query { viewer { id } serverInfo { __typename } }`,
    ],
    [
      'lists of the schema',
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
    ],
  ])('bounds the %s of a query', async (_what, text) => {
    const { api } = populated()
    const answer = await graphql(api, text)
    expect([answer.status, answer.data]).toEqual([200, undefined])
    expect(answer.errors![0]!.message).toMatch(/at most|Allowed|token|introspection/i)
  })

  it('answers odd queries without a failure', { timeout: 60_000 }, async () => {
    const { api } = populated()
    const types = Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
    )
    const names = [...new Set(types.flatMap((type) => Object.keys(type.getFields())))]
    const word = fc.oneof(
      fc.constantFrom(
        ...names,
        'query',
        'mutation',
        'fragment',
        'on',
        '...',
        '__type',
        '@include(if: true)',
      ),
      fc.constantFrom(
        '{',
        '}',
        '(',
        ')',
        '{ id }',
        '(first: -1)',
        '(input: {})',
        '(name: "..")',
        '(id: "")',
      ),
      fc.constantFrom(
        '(after: "x")',
        '(filters: "{")',
        '(order: "-x")',
        '(first: 1e9)',
        '(specs: ["{"])',
        '(filters: "{\\"$nope\\": 1}")',
        '(filters: "{\\"name\\": {\\"$regex\\": \\"(a+)+$\\"}}")',
        '(filters: "{\\"__proto__\\": 1}")',
        '... on Run { id }',
        '...F } fragment F on Query { ...F',
      ),
    )
    const odd = fc
      .array(word, { minLength: 1, maxLength: 20 })
      .map((words) => `{ ${words.join(' ')} }`)
    await fc.assert(
      fc.asyncProperty(odd, async (text) => {
        const { status, errors = [] } = await graphql(api, text)
        expect(status).toBe(200)
        expect(errors.map(({ message }) => message)).not.toContain('Internal Server Error')
      }),
      { numRuns: 300, seed: 7 },
    )
  })

  it('refuses odd mutations without a failure or an effect', { timeout: 60_000 }, async () => {
    const { api, artifact } = populated()
    const mutations = Object.values(schema.getMutationType()!.getFields())
    const texts = [
      '', '..', '/a', 'rows', artifact, '{', '[]', '"', 'v1', 'local-team', 'verse',
      '{"__proto__": 1}', '\u0000', '\uD800', '__proto__', 'x'.repeat(2000),
    ] // oxfmt-ignore
    const leaf = (type: GraphQLInputType): fc.Arbitrary<unknown> => {
      if (isNonNullType(type)) return leaf(type.ofType)
      if (isListType(type)) return fc.array(leaf(type.ofType), { maxLength: 3 })
      if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name))
      if (isInputObjectType(type)) {
        const fields = Object.values(type.getFields())
        const needed = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name)
        const shape = Object.fromEntries(fields.map((field) => [field.name, leaf(field.type)]))
        return fc.record(shape, { requiredKeys: needed })
      }
      if (type.name === 'Boolean') return fc.boolean()
      if (type.name === 'Int' || type.name === 'Int64') return fc.constantFrom(-1, 0, 3)
      return fc.constantFrom(...texts)
    }
    const call = fc.constantFrom(...mutations).chain((field) => {
      const { type } = field.args[0]!
      const selection = selectionOf(field.type, 1, { artifact })
      const text = `mutation M($input: ${type.toString()}) { ${field.name}(input: $input) ${selection} }`
      // Clients tell why an automation is refused by the status.
      const statuses = /Trigger|Integration/.test(field.name) ? [200, 400, 404, 409] : [200]
      return leaf(type).map((input) => ({ text, input, statuses }))
    })
    const stateOf = async () => JSON.stringify(opened(await api.emulator.snapshot()))
    let before = await stateOf()
    await fc.assert(
      fc.asyncProperty(call, async ({ text, input, statuses }) => {
        const { status, errors = [] } = await graphql(api, text, { input })
        expect(statuses).toContain(status)
        expect(errors.map(({ message }) => message)).not.toContain('Internal Server Error')
        const after = await stateOf()
        // An error below the mutation is one of what it selects, after it is done.
        if (errors.some(({ path }) => path?.length === 1)) expect(after).toBe(before)
        before = after
      }),
      { numRuns: 500, seed: 7 },
    )
  })
})

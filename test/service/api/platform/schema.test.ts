import {
  buildSchema,
  getIntrospectionQuery,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import { createEmulator } from '../../../../src/index.js'
import { graphql } from '../../../support/graphql.js'
import { aRun, aVersion } from '../../../support/platform-records.js'

const schema = buildSchema(PLATFORM_SCHEMA)

function populated() {
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  const run = aRun(emulator)
  const version = aVersion(emulator)
  const platform = emulator.engine.platformWithCheckpoints()
  const author = { user: 'ada' }
  const place = { entity: 'local-team', project: 'registry', collection: 'data' }
  platform.artifacts.links.link(version, place, author)
  platform.artifacts.use(version, run)
  return { api: { emulator, fetch: emulator.fetch }, artifact: version.id }
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
    ['tokens', `{ ${'viewer { id } '.repeat(2000)} }`],
    ['characters', `{ viewer { id } } #${'x'.repeat(100_000)}`],
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
})

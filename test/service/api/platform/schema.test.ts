import { buildSchema, getIntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import { openEmulator } from '../../../emulator/open-emulator.js'
import { fieldOf } from '../../../support/graphql-selection.js'
import { graphql } from '../../../support/graphql.js'
import { aRun, aVersion } from '../../../support/platform-records.js'

const schema = buildSchema(PLATFORM_SCHEMA)

function populated() {
  const emulator = openEmulator()
  const run = aRun(emulator)
  const version = aVersion(emulator)
  const platform = emulator.engine.platformWithCheckpoints()
  const author = { user: 'ada' }
  const place = { entity: 'local-team', project: 'registry', collection: 'data' }
  platform.artifacts.links.link(version, place, author)
  platform.artifacts.use(version, run)
  return { api: { emulator, fetch: emulator.fetch }, artifact: version.id }
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

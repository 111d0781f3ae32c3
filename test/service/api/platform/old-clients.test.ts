import { expect, it } from 'vitest'
import { graphql } from '../../../support/graphql.js'
import { aRun, aRunThat, aVersion } from '../../../support/platform-records.js'
import { link, openRun, streamRun } from '../../../support/platform-client.js'
import { describeTransports, type Api } from '../../../support/transports.js'

const PROJECT = 'project(name: "verse", entityName: "local-team")'

/** What a client reads of the project. Each variable is JSON as text. */
async function read(api: Api, fields: string, variables: Record<string, string> = {}) {
  const declared = Object.keys(variables).map((name) => `$${name}: JSONString!`)
  const query = `query Read${declared.length > 0 ? `(${declared.join(' ')})` : ''} { ${PROJECT} { ${fields} } }`
  return (await graphql(api, query, variables)).data.project
}

/** Creates a run with a config, or adds to that of one. */
function configure(api: Api, name: string, config: object, headers?: Record<string, string>) {
  const mutation = `mutation UpsertBucket($config: JSONString) { upsertBucket(input: {
    entityName: "local-team", modelName: "verse", name: "${name}", config: $config
  }) { inserted } }`
  return graphql(api, mutation, { config: JSON.stringify(config) }, headers)
}

function namesIn({ edges }: { edges: { node: { name: string } }[] }): string[] {
  return edges.map(({ node }) => node.name)
}

describeTransports('What single versions of the SDK need', (open) => {
  it('finds runs by values of their config', async () => {
    const api = await open()
    for (const [name, lr] of Object.entries({ slow: 0.1, fast: 0.9 })) {
      await configure(api, name, { lr: { value: lr }, deep: { value: { er: name } } })
    }
    const found = async (filters: object): Promise<unknown> => {
      const runs = 'runs(filters: $filters) { edges { node { name } } }'
      return namesIn((await read(api, runs, { filters: JSON.stringify(filters) })).runs)
    }
    expect(await found({ 'config.lr': 0.1 })).toEqual(['slow'])
    expect(await found({ 'config.lr.value': { $gt: 0.5 } })).toEqual(['fast'])
    expect(await found({ 'config.deep.er': 'slow' })).toEqual(['slow'])
    expect(await found({ 'config.absent': { $exists: true } })).toEqual([])
    for (const whole of ['config', 'heartbeat_at', 'heartbeatAt', 'updatedAt', 'created_at'])
      expect(await found({ [whole]: { $exists: true } })).toEqual(['slow', 'fast'])
  })

  it('lists the newest first in an order by time, also those of one moment, and in pages', async () => {
    const api = await open()
    for (const name of ['first', 'second', 'third']) await openRun(api, { name })
    const inPages = async (order: string): Promise<string[]> => {
      const names: string[] = []
      for (let after = ''; names.length < 3;) {
        const page = `runs(first: 2, order: "${order}", after: "${after}") {
          pageInfo { endCursor } edges { node { name } }
        }`
        const { runs } = await read(api, page)
        names.push(...namesIn(runs))
        after = runs.pageInfo.endCursor
      }
      return names
    }
    const newestFirst = ['third', 'second', 'first']
    for (const time of ['created_at', 'createdAt', 'heartbeat_at', 'heartbeatAt', 'updatedAt']) {
      expect(await inPages(`-${time}`)).toEqual(newestFirst)
      expect(await inPages(`+${time}`)).toEqual(newestFirst.toReversed())
    }
    // Two that were heard in one second.
    api.emulator.clock.advance('1ms')
    await openRun(api, { name: 'second' })
    for (const time of ['heartbeat_at', 'updated_at']) {
      expect(await inPages(`-${time}`)).toEqual(['second', 'third', 'first'])
    }
    expect(await inPages('-created_at')).toEqual(newestFirst)
  })

  it('keeps what several programs log to one run, and counts once what comes again', async () => {
    const api = await open()
    for (const writer of ['one', 'two']) {
      const config = { all: { value: writer }, [writer]: { value: 1 } }
      await configure(api, 'poem', config, { 'x-wandb-client-id': writer })
    }
    const first = { rows: [{ loss: 1 }, { loss: 2 }], summary: { all: 1, loss: 2 } }
    await streamRun(api, 'poem', { writer: 'one', ...first })
    const rows = [{}, { loss: 9, _step: 0, of: { _step: 7 } }]
    await streamRun(api, 'poem', { writer: 'two', rows, summary: { all: 2, b: 5 } })
    await streamRun(api, 'poem', { writer: 'one', ...first })
    await streamRun(api, 'poem', { writer: 'one', offset: 1, rows: [{ loss: 2 }, { loss: 3 }] })
    const { run } = await read(api, 'run(name: "poem") { history summaryMetrics config }')
    const { history, summaryMetrics, config } = run
    expect(history.map((row: string) => JSON.parse(row))).toEqual([
      { _step: 0, loss: 1 },
      { _step: 1, loss: 2 },
      { _step: 2 },
      { _step: 3, loss: 9, of: { _step: 7 } },
      { _step: 4, loss: 3 },
    ])
    expect(JSON.parse(summaryMetrics)).toEqual({ all: 1, loss: 2, b: 5 })
    const value = 1
    expect(JSON.parse(config)).toEqual({ all: { value: 'two' }, one: { value }, two: { value } })
  })

  it('has the last step of a spec in a sampled history, and not in the whole one', async () => {
    const api = await open()
    const rows = [0, 1, 2, 3].map((step) => ({ _step: step, loss: step }))
    aRunThat(api.emulator, { name: 'poem', rows })
    const sampled = async (steps: object) => {
      const spec = JSON.stringify({ keys: ['loss'], ...steps })
      const fields = 'sampledHistory(specs: [$spec]) history(minStep: 1, maxStep: 2)'
      return (await read(api, `run(name: "poem") { ${fields} }`, { spec })).run
    }
    expect(await sampled({ minStep: 1, maxStep: 2, samples: 10 })).toEqual({
      sampledHistory: [[{ loss: 1 }, { loss: 2 }]],
      history: ['{"_step":1,"loss":1}'],
    })
    const whole = await sampled({ minStep: null, maxStep: null })
    expect(whole.sampledHistory).toEqual([[{ loss: 0 }, { loss: 1 }, { loss: 2 }, { loss: 3 }]])
  })

  it('shows what a program printed', async () => {
    const api = await open()
    const platform = api.emulator.engine.platformWithCheckpoints()
    aRun(api.emulator)
    const run = platform.runs.get({ entity: 'local-team', project: 'verse', name: 'poem' })
    const lines = [
      '2026-11-26T05:12:47.868984 Hello',
      'ERROR 2026-11-26T05:12:48.1 Oh no',
      'plain text',
    ]
    platform.runs.log(run, { output: { offset: 0, lines } }, { user: 'ada' })
    const printed = async (page: string): Promise<unknown> => {
      const line =
        'edges { node { number timestamp level line } } pageInfo { hasNextPage endCursor }'
      return (await read(api, `run(name: "poem") { logLines(${page}) { ${line} } }`)).run.logLines
    }
    const nodes = [
      { number: 0, timestamp: '2026-11-26T05:12:47.868984Z', level: null, line: 'Hello' },
      { number: 1, timestamp: '2026-11-26T05:12:48.1Z', level: 'error', line: 'Oh no' },
      { number: 2, timestamp: null, level: null, line: 'plain text' },
    ].map((node) => ({ node }))
    const [second, third] = ['cGxhY2U6Mg==', 'cGxhY2U6Mw==']
    expect(await printed('first: 2, useImprovedPagination: true')).toEqual({
      edges: nodes.slice(0, 2),
      pageInfo: { hasNextPage: true, endCursor: second },
    })
    for (const end of ['last: 1', `after: "${second}"`]) {
      expect(await printed(end)).toEqual({
        edges: nodes.slice(2),
        pageInfo: { hasNextPage: false, endCursor: third },
      })
    }
  })

  it('says what kind of collection has a name, and finds versions by their type', async () => {
    const api = await open()
    const { id } = aVersion(api.emulator)
    await link(api, { id, registry: 'verse', collection: 'linked' })
    const { artifactType } = await read(
      api,
      `artifactType(name: "dataset") {
        own: artifactSequence(name: "rows") { __typename description project { description } }
        linked: artifactSequence(name: "linked") { __typename }
        artifact(name: "rows:v0") { id }
        absent: artifact(name: "rows:v9") { id }
        none: artifact(name: "rows:v0:v0") { id }
      }`,
    )
    const project = { description: null }
    expect(artifactType).toEqual({
      own: { __typename: 'ArtifactSequence', description: null, project },
      linked: null,
      artifact: { id },
      absent: null,
      none: null,
    })
  })

  it('finds the projects of a team by their name, and the registries of its organization', async () => {
    const api = await open()
    for (const name of ['verse', 'prose', 'wandb-registry-models']) {
      await graphql(api, `mutation { upsertModel(input: { name: "${name}" }) { inserted } }`)
    }
    const query = `query Projects($filters: JSONString) { entity(name: "local-team") {
      projects(filters: $filters) { edges { node { name } } }
      members { name accountType }
      organization {
        featureFlags(rampIDType: OrgName) { rampKey isEnabled }
        orgEntity { projects { edges { node { name } } } }
      }
    } }`
    const filters = JSON.stringify({ name: 'verse' })
    const { data } = await graphql(api, query, { filters })
    expect(data.entity.projects.edges).toEqual([{ node: { name: 'verse' } }])
    expect(data.entity.members).toEqual([{ name: 'local-user', accountType: 'USER' }])
    expect(data.entity.organization.orgEntity.projects.edges).toEqual([
      { node: { name: 'wandb-registry-models' } },
    ])
    // Clients ask for it before they watch a whole team.
    expect(data.entity.organization.featureFlags).toEqual([
      { rampKey: 'automation_entity_scope', isEnabled: true },
    ])
  })

  it('knows the versions of clients that it serves', async () => {
    const { data } = await graphql(await open(), '{ serverInfo { cliVersionInfo } }')
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/)
    expect(data.serverInfo.cliVersionInfo).toEqual({
      min_cli_version: version,
      max_cli_version: version,
    })
  })

  it('names the run that an artifact comes from', async () => {
    const api = await open()
    aRun(api.emulator)
    const mutation = `mutation { createArtifact(input: {
      entityName: "local-team", projectName: "verse", runName: "poem", digest: "abc",
      artifactTypeName: "dataset", artifactCollectionName: "rows"
    }) { artifact { createdBy { __typename ... on Run { name } } } } }`
    const { data } = await graphql(api, mutation)
    const createdBy = { __typename: 'Run', name: 'poem' }
    expect(data.createArtifact.artifact).toEqual({ createdBy })
  })

  it('names the type of the artifacts that a run used', async () => {
    const api = await open()
    aRun(api.emulator)
    const { id: artifact } = aVersion(api.emulator)
    const use = `mutation { useArtifact(input: { entityName: "local-team", projectName: "verse",
      runName: "poem", artifactID: "${artifact}" }) { artifact { id } } }`
    expect(await graphql(api, use)).not.toHaveProperty('errors')
    const query = `query { ${PROJECT} { run(name: "poem") { inputArtifacts { ...Used } } } }
      fragment Used on InputArtifactConnection { totalCount edges { node { id } } }`
    expect((await graphql(api, query)).data.project.run.inputArtifacts).toEqual({
      totalCount: 1,
      edges: [{ node: { id: artifact } }],
    })
  })

  it('names the artifact that it takes out of a collection', async () => {
    const api = await open()
    const { id: artifact } = aVersion(api.emulator)
    const place = { id: artifact, registry: 'verse', collection: 'linked' }
    const artifactPortfolioID = await link(api, place)
    const mutation = `mutation UnlinkArtifact($input: UnlinkArtifactInput!) {
      unlinkArtifact(input: $input) { artifactID success }
    }`
    const input = { artifactID: artifact, artifactPortfolioID }
    expect((await graphql(api, mutation, { input })).data).toEqual({
      unlinkArtifact: { artifactID: artifact, success: true },
    })
    expect(api.emulator.artifacts.collections({ name: 'linked' })).toEqual([])
  })

  it('has the types that old versions look for before they sync', async () => {
    const api = await open()
    const probe = '{ __type(name: "ServerSettings") { fields { name } } }'
    expect((await graphql(api, probe)).data.__type.fields).toEqual([{ name: 'serverMessages' }])
    const opened = `mutation { upsertBucket(input: { modelName: "verse", name: "old" }) {
      serverSettings { serverMessages { plainText } }
    } }`
    expect((await graphql(api, opened)).data.upsertBucket).toEqual({
      serverSettings: { serverMessages: [] },
    })
  })
})

import { expect, it } from 'vitest'
import { putArtifact } from '../../../../src/service/platform/put-artifact.js'
import { basic, besideTraining, graphql } from '../../../support/graphql.js'
import { aRun, aRunThat, manifestOf, md5Of } from '../../../support/platform-records.js'
import { describeTransports, type Api } from '../../../support/transports.js'

const ALL_BYTES = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
const bytesOf = (latin1: string) => new Uint8Array(Buffer.from(latin1, 'latin1'))

/** Logs a version of the artifact `rows`. Returns its id. */
function log({ emulator: { engine } }: Api, files: Readonly<Record<string, string>>): string {
  const place = { entity: 'local-team', project: 'verse', collection: 'rows', type: 'dataset' }
  const contents = Object.entries(files).map(([path, text]) => [path, bytesOf(text)] as const)
  const facts = { aliases: ['best'], metadata: '{"rows": 2}' }
  const logged = { ...facts, files: Object.fromEntries(contents) }
  return putArtifact(engine.platformWithCheckpoints(), place, logged, { user: 'ada' }).id
}

const CREATE_UPLOAD = `mutation { upsertBucket(input: { modelName: "verse", name: "poem" }) { inserted }
  createRunFiles(input: { entityName: "local-team", projectName: "verse", runName: "poem",
    files: ["a.txt"] }) { files { uploadUrl } } }`

const READ = `query ArtifactMembershipByName($name: String!) {
  project(name: "verse", entityName: "local-team") {
    artifactCollectionMembership(name: $name) {
      versionIndex
      aliases { alias }
      artifactCollection { __typename name }
      artifact {
        metadata size fileCount state
        currentManifest { file { directUrl } }
        files(first: 10) { totalCount edges { node { name directUrl sizeBytes } } }
      }
    }
  }
}`

describeTransports('artifacts', (open) => {
  it('are read and downloaded', async () => {
    const api = await open()
    log(api, { 'a.bin': ALL_BYTES, 'sub/b c.txt': 'hello' })
    const { data } = await graphql(api, READ, { name: 'rows:best' })
    const { artifact, ...membership } = data.project.artifactCollectionMembership
    expect(membership).toEqual({
      versionIndex: 0,
      aliases: [{ alias: 'latest' }, { alias: 'best' }],
      artifactCollection: { __typename: 'ArtifactSequence', name: 'rows' },
    })
    const facts = { metadata: '{"rows": 2}', size: 261, fileCount: 2, state: 'COMMITTED' }
    expect(artifact).toMatchObject(facts)
    const files = artifact.files.edges as { node: { name: string; directUrl: string } }[]
    expect(files.map(({ node }) => node.name)).toEqual(['a.bin', 'sub/b c.txt'])
    const response = await api.fetch(files[0]!.node.directUrl)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytesOf(ALL_BYTES))
    expect(response.headers.get('content-length')).toBe('256')
    const second = await api.fetch(files[1]!.node.directUrl)
    expect(await second.text()).toBe('hello')
    const manifest = await api.fetch(artifact.currentManifest.file.directUrl)
    expect(Object.keys(((await manifest.json()) as { contents: object }).contents)).toEqual([
      'a.bin',
      'sub/b c.txt',
    ])
  })

  it('list references with the address of their content', async () => {
    const api = await open()
    const { artifacts } = api.emulator.engine.platformWithCheckpoints()
    const { text, digest } = manifestOf({}, { 'far.bin': 's3://bucket/far.bin' })
    const place = { entity: 'local-team', project: 'verse', collection: 'rows', type: 'dataset' }
    const artifact = artifacts.create(place, { digest, aliases: ['best'] }, { user: 'ada' })
    const manifest = { digest: md5Of(text), path: 'manifest.json' }
    const { file } = artifacts.addManifest(artifact, manifest)
    api.emulator.engine.platformWithCheckpoints().upload(file.id, bytesOf(text))
    artifacts.commit(artifact, { user: 'ada' })
    const { data } = await graphql(api, READ, { name: 'rows:best' })
    const [{ node }] = data.project.artifactCollectionMembership.artifact.files.edges
    expect(node).toMatchObject({ name: 'far.bin', directUrl: 's3://bucket/far.bin' })
  })

  it('have no new version if the content is that of the newest one', async () => {
    const api = await open()
    const id = log(api, { 'a.txt': 'same' })
    const { name: run } = aRun(api.emulator)
    const again = await graphql(
      api,
      `mutation CreateArtifact { createArtifact(input: {
        entityName: "local-team", projectName: "verse", artifactTypeName: "dataset", artifactCollectionName: "rows", runName: "${run}"
        digest: "${manifestOf({ 'a.txt': 'same' }).digest}"
      }) { artifact { id state createdBy { __typename } } } }`,
    )
    const createdBy = { __typename: 'User' }
    expect(again.data.createArtifact.artifact).toEqual({ id, state: 'COMMITTED', createdBy })
    const logged = `{ project(name: "verse", entityName: "local-team") { run(name: "${run}") {
      outputArtifacts { edges { node { id } } } } } }`
    const { outputArtifacts } = (await graphql(api, logged)).data.project.run
    expect(outputArtifacts.edges).toEqual([{ node: { id } }])
  })

  it('live as long as a change says', async () => {
    const api = await open()
    const artifactID = log(api, { 'a.txt': 'same' })
    const change = `mutation ($input: UpdateArtifactInput!) { updateArtifact(input: $input) {
      artifact { ttlDurationSeconds ttlIsInherited } } }`
    const changed = async (ttlDurationSeconds?: number) => {
      const answer = await graphql(api, change, { input: { artifactID, ttlDurationSeconds } })
      return answer.data.updateArtifact.artifact
    }
    const day = { ttlDurationSeconds: 86_400, ttlIsInherited: false }
    expect(await changed(86_400)).toEqual(day)
    expect(await changed()).toEqual(day)
    expect(await changed(-1)).toEqual({ ttlDurationSeconds: -1, ttlIsInherited: true })
    const input = `{ artifactID: "${artifactID}", ttlDurationSeconds: "soon" }`
    const written = await graphql(api, change.replace(/\(\$.*?\)/, '').replace('$input', input))
    expect(written.errors).toMatchObject([{ message: /Int64 cannot be "soon"/ }])
  })

  it('name all runs that used them', async () => {
    const api = await open()
    const id = log(api, { 'a.txt': 'same' })
    const { artifacts } = api.emulator.engine.platformWithCheckpoints()
    const runs = Array.from({ length: 51 }, (_, index) => {
      return aRunThat(api.emulator, { name: `run-${index}` })
    })
    for (const run of runs) artifacts.use(artifacts.get(id), run)
    const query = `{ artifact(id: "${id}") { usedBy { edges { node { name } } } } }`
    expect((await graphql(api, query)).data.artifact.usedBy.edges).toHaveLength(51)
  })

  it.each([
    '/storage/main/files/x/a.txt',
    '/storage/main/artifacts/x/y/a.txt',
    '/storage/nobody/files/x/y',
  ])('answer 404 at %s', async (path) => {
    const api = await open()
    const response = await api.fetch(besideTraining(api, path))
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ errors: [{ message: /^There is no content/ }] })
  })
})

const RUN =
  'mutation ($config: JSONString) { upsertBucket(input: { modelName: "verse", name: "poem", config: $config }) { inserted } }'

/** Sends a part of a run, as programs do. */
async function stream(api: Api, body: object) {
  const address = besideTraining(api, '/files/local-team/verse/poem/file_stream')
  const headers = { authorization: basic('any-key') }
  const response = await api.fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  return [response.status, await response.json()]
}

async function read(api: Api, fields: string) {
  const query = `{ project(name: "verse", entityName: "local-team") { run(name: "poem") { ${fields} } } }`
  return (await graphql(api, query)).data.project.run
}

describeTransports('runs', (open) => {
  it('log metrics in a stream, and are read back', async () => {
    const api = await open()
    await graphql(api, RUN)
    const content = Array.from({ length: 200 }, (_, step) => {
      return JSON.stringify({ _step: step, loss: 1 / (step + 1) })
    })
    const files = {
      'wandb-history.jsonl': { offset: 0, content },
      'wandb-summary.json': { offset: 0, content: ['{"loss": 0.005}'] },
      'wandb-events.jsonl': { offset: 0, content: ['{"cpu": 1}'] },
      'output.log': { offset: 0, content: ['hello'] },
    }
    expect(await stream(api, { files })).toEqual([200, { exitcode: null, limits: {} }])
    expect(await stream(api, { complete: true, exitcode: 0 })).toMatchObject([200, {}])
    const run = await read(
      api,
      `state summaryMetrics historyLineCount logLineCount history(samples: 3)
        page: history(samples: 2, minStep: 100, maxStep: 102)
        sampledHistory(specs: ["{\\"keys\\": [\\"_step\\", \\"loss\\"], \\"samples\\": 2}"])`,
    )
    expect(run).toEqual({
      state: 'finished',
      summaryMetrics: '{"loss": 0.005}',
      historyLineCount: 200,
      logLineCount: 1,
      history: [content[0], content[100], content[199]],
      page: [content[100], content[101]],
      sampledHistory: [[JSON.parse(content[0]!), JSON.parse(content[199]!)]],
    })
    expect(await stream(api, { files: { 'wandb-history.jsonl': { content: [5] } } })).toMatchObject(
      [400, { errors: [{ message: /^The chunk of "wandb-history.jsonl" is not an offset/ }] }],
    )
    expect(await read(api, 'none: events(samples: 0) all: events')).toEqual({
      none: [],
      all: ['{"cpu": 1}'],
    })
    expect(await stream(api, { complete: true, exitcode: 0.5 })).toMatchObject([
      400,
      { errors: [{ message: 'The exitcode is 0.5; expected a whole number.' }] },
    ])
    expect(await stream(api, { files: [content] })).toMatchObject([
      400,
      { errors: [{ message: 'The files are not a JSON object, such as {}.' }] },
    ])
  })

  it('may log numbers that are not finite, which clients send bare', async () => {
    const api = await open()
    const config = '{"most": {"value": Infinity}}'
    await graphql(api, RUN, { config })
    const written = RUN.replace(/\(.*?\)/, '').replace('$config', JSON.stringify(config))
    expect((await graphql(api, written)).errors).toBeUndefined()
    const files = {
      'wandb-history.jsonl': {
        offset: 0,
        content: ['{"_step":0,"loss":NaN,"text":"NaN, \\"NaN","low":[-Infinity]}'],
      },
      'wandb-summary.json': { offset: 0, content: ['{"loss":NaN}'] },
      'output.log': { offset: 0, content: ['loss: NaN'] },
    }
    expect((await stream(api, { files, complete: true, exitcode: 0 }))[0]).toBe(200)
    const fields =
      'state config summaryMetrics history(samples: 1) logLines(first: 1) { edges { node { line } } }'
    expect(await read(api, fields)).toEqual({
      state: 'finished',
      config: '{"most": {"value": "Infinity"}}',
      summaryMetrics: '{"loss":"NaN"}',
      history: ['{"_step":0,"loss":"NaN","text":"NaN, \\"NaN","low":["-Infinity"]}'],
      logLines: { edges: [{ node: { line: 'loss: NaN' } }] },
    })
  })

  it('have the address that the client used', async () => {
    const api = await open()
    const { origin } = new URL(api.emulator.trainingUrl)
    const { data } = await graphql(api, CREATE_UPLOAD)
    const [{ uploadUrl }] = data.createRunFiles.files as [{ uploadUrl: string }]
    expect(uploadUrl).toMatch(
      new RegExp(`^${origin}/storage/main/uploads/[\\w%]+\\?signature=[0-9a-f]{32}$`),
    )
  })

  it('have an address below the base path', async () => {
    const { emulator, fetch } = await open({ basePath: '/proxy' })
    const response = await fetch(new URL('/proxy/graphql', emulator.trainingUrl), {
      method: 'POST',
      headers: { authorization: basic('any-key') },
      body: JSON.stringify({ query: CREATE_UPLOAD }),
    })
    expect(await response.text()).toContain('/proxy/storage/main/uploads/')
  })
})

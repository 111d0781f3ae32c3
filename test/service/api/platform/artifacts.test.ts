import { describe, expect, it } from 'vitest'
import { basic, besideTraining, graphql, type GraphqlAnswer } from '../../../support/graphql.js'
import { aRun, manifestOf, md5Of } from '../../../support/platform-records.js'
import { describeTransports, type Api } from '../../../support/transports.js'

const ALL_BYTES = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
const bytesOf = (latin1: string) => new Uint8Array(Buffer.from(latin1, 'latin1'))

const PLACE = 'entityName: "local-team", projectName: "verse"'

/** The calls of the SDK that log an artifact, in its order. Stops before the commit. */
async function upload(
  api: Api,
  files: Record<string, string>,
  headers: Record<string, string> = {},
  references: Record<string, string> = {},
): Promise<string> {
  const send = (query: string, variables: object = {}) => graphql(api, query, variables, headers)
  const { text, digest } = manifestOf(files, references)
  const created = await send(
    `mutation CreateArtifact($digest: String!) { createArtifact(input: {
      ${PLACE}, artifactTypeName: "dataset", artifactCollectionName: "rows", digest: $digest,
      aliases: [{ artifactCollectionName: "rows", alias: "best" }], metadata: "{\\"rows\\": 2}"
    }) { artifact { id state artifactSequence { latestArtifact { id } } } } }`,
    { digest },
  )
  const { id } = created.data.createArtifact.artifact as { id: string }
  const manifest = (md5: string, isSent: boolean) =>
    send(
      `mutation CreateArtifactManifest($md5: String!, $upload: Boolean!) {
        createArtifactManifest(input: {
          ${PLACE}, artifactID: "${id}", name: "manifest.json", digest: $md5, runName: "", type: FULL
        }) { artifactManifest { id file { uploadUrl @include(if: $upload) } } } }`,
      { md5, upload: isSent },
    )
  await manifest('', false)
  const artifactFiles = Object.entries(files).map(([name, content]) => {
    return { artifactID: id, name, md5: md5Of(bytesOf(content)) }
  })
  const answer = await send(
    `mutation CreateArtifactFiles($input: CreateArtifactFilesInput!) {
      createArtifactFiles(input: $input) { files { edges { node { name uploadUrl } } } } }`,
    { input: { artifactFiles } },
  )
  for (const { node } of answer.data.createArtifactFiles.files.edges as Edge[]) {
    if (node.uploadUrl) await put(api, node.uploadUrl, bytesOf(files[node.name]!))
  }
  const { data } = await manifest(md5Of(text), true)
  await put(api, data.createArtifactManifest.artifactManifest.file.uploadUrl, bytesOf(text))
  return id
}

interface Edge {
  node: { name: string; uploadUrl: string | null }
}

/** Clients send no key to these addresses. */
function put(api: Api, url: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
  return api.fetch(url, { method: 'PUT', body })
}

function commit(api: Api, id: string, headers = {}): Promise<GraphqlAnswer> {
  const mutation = `mutation CommitArtifact { commitArtifact(input: { artifactID: "${id}" }) {
    artifact { id state versionIndex aliases { alias } }
  } }`
  return graphql(api, mutation, {}, headers)
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
  it('are logged, read and downloaded', async () => {
    const api = await open()
    const id = await upload(api, { 'a.bin': ALL_BYTES, 'sub/b c.txt': 'hello' })
    expect((await commit(api, id)).data.commitArtifact.artifact).toEqual({
      id,
      state: 'COMMITTED',
      versionIndex: 0,
      aliases: [{ alias: 'latest' }, { alias: 'best' }],
    })
    const { data } = await graphql(api, READ, { name: 'rows:best' })
    const { artifact, ...membership } = data.project.artifactCollectionMembership
    expect(membership).toEqual({
      versionIndex: 0,
      aliases: [{ alias: 'latest' }, { alias: 'best' }],
      artifactCollection: { __typename: 'ArtifactSequence', name: 'rows' },
    })
    expect(artifact).toMatchObject({ metadata: '{"rows": 2}', size: 261, fileCount: 2 })
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
    const references = { 'far.bin': 's3://bucket/far.bin' }
    await commit(api, await upload(api, { 'a.bin': ALL_BYTES }, {}, references))
    const { data } = await graphql(api, READ, { name: 'rows:best' })
    const { edges } = data.project.artifactCollectionMembership.artifact.files
    const files = edges.map(({ node }: { node: { name: string; directUrl: string } }) => node)
    expect(files).toMatchObject([
      { name: 'a.bin' },
      { name: 'far.bin', directUrl: 's3://bucket/far.bin' },
    ])
  })

  it('have no new version if the content is that of the newest one', async () => {
    const api = await open()
    const id = await upload(api, { 'a.txt': 'same' })
    await commit(api, id)
    const { run } = aRun(api.emulator)
    const again = await graphql(
      api,
      `mutation CreateArtifact { createArtifact(input: {
        ${PLACE}, artifactTypeName: "dataset", artifactCollectionName: "rows", runName: "${run}"
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

  it('are found in no other world', async () => {
    const api = await open({ isolate: 'api-key' })
    const ada = { authorization: basic('key-of-ada') }
    const bob = { authorization: basic('key-of-bob') }
    const id = await upload(api, { 'a.txt': 'hello' }, ada)
    await commit(api, id, ada)
    const { data } = await graphql(api, READ, { name: 'rows' }, ada)
    const { artifact } = data.project.artifactCollectionMembership
    const [{ node }] = artifact.files.edges as [{ node: { directUrl: string } }]
    expect(await (await api.fetch(node.directUrl)).text()).toBe('hello')
    expect((await graphql(api, READ, { name: 'rows' }, bob)).data.project).toBeNull()
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

describeTransports('runs', (open) => {
  it('log metrics in a stream, and are read back', async () => {
    const api = await open()
    await graphql(
      api,
      'mutation { upsertBucket(input: { modelName: "verse", name: "poem" }) { inserted } }',
    )
    const stream = async (body: object) => {
      const response = await api.fetch(
        besideTraining(api, '/files/local-team/verse/poem/file_stream'),
        {
          method: 'POST',
          headers: { authorization: basic('any-key') },
          body: JSON.stringify(body),
        },
      )
      return [response.status, await response.json()]
    }
    const content = Array.from({ length: 200 }, (_, step) => {
      return JSON.stringify({ _step: step, loss: 1 / (step + 1) })
    })
    const files = {
      'wandb-history.jsonl': { offset: 0, content },
      'wandb-summary.json': { offset: 0, content: ['{"loss": 0.005}'] },
      'output.log': { offset: 0, content: ['hello'] },
    }
    expect(await stream({ files })).toEqual([200, { exitcode: null, limits: {} }])
    expect(await stream({ complete: true, exitcode: 0 })).toMatchObject([200, {}])
    const { data } = await graphql(
      api,
      `
        {
          project(name: "verse", entityName: "local-team") {
            run(name: "poem") {
              state
              summaryMetrics
              historyLineCount
              logLineCount
              history(samples: 3)
              page: history(samples: 2, minStep: 100, maxStep: 102)
              sampledHistory(specs: ["{\\"keys\\": [\\"_step\\", \\"loss\\"], \\"samples\\": 2}"])
            }
          }
        }
      `,
    )
    expect(data.project.run).toEqual({
      state: 'finished',
      summaryMetrics: '{"loss": 0.005}',
      historyLineCount: 200,
      logLineCount: 1,
      history: [content[0], content[100], content[199]],
      page: [content[100], content[101]],
      sampledHistory: [[JSON.parse(content[0]!), JSON.parse(content[199]!)]],
    })
    expect(await stream({ files: { 'wandb-history.jsonl': { content: [5] } } })).toMatchObject([
      400,
      { errors: [{ message: /^The chunk of "wandb-history.jsonl" is not an offset/ }] },
    ])
    expect(await stream({ files: [content] })).toMatchObject([
      400,
      { errors: [{ message: 'The files are not a JSON object, such as {}.' }] },
    ])
  })

  it('may log numbers that are not finite, which clients send bare', async () => {
    const api = await open()
    await graphql(
      api,
      'mutation ($config: JSONString) { upsertBucket(input: { modelName: "verse", name: "poem", config: $config }) { inserted } }',
      { config: '{"most": {"value": Infinity}}' },
    )
    const files = {
      'wandb-history.jsonl': {
        offset: 0,
        content: ['{"_step":0,"loss":NaN,"text":"NaN, \\"NaN","low":[-Infinity]}'],
      },
      'wandb-summary.json': { offset: 0, content: ['{"loss":NaN}'] },
      'output.log': { offset: 0, content: ['loss: NaN'] },
    }
    const response = await api.fetch(
      besideTraining(api, '/files/local-team/verse/poem/file_stream'),
      {
        method: 'POST',
        headers: { authorization: basic('any-key') },
        body: JSON.stringify({ files, complete: true, exitcode: 0 }),
      },
    )
    expect(response.status).toBe(200)
    const { data } = await graphql(
      api,
      `
        {
          project(name: "verse", entityName: "local-team") {
            run(name: "poem") {
              state
              config
              summaryMetrics
              history(samples: 1)
              logLines(first: 1) {
                edges {
                  node {
                    line
                  }
                }
              }
            }
          }
        }
      `,
    )
    expect(data.project.run).toEqual({
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
})

describe('addresses of contents', () => {
  it('are below the base path', async () => {
    const { createEmulator } = await import('../../../../src/index.js')
    const emulator = createEmulator({ clock: 'manual', basePath: '/proxy' })
    const response = await emulator.fetch(new URL('/proxy/graphql', emulator.trainingUrl), {
      method: 'POST',
      headers: { authorization: basic('any-key') },
      body: JSON.stringify({
        query: CREATE_UPLOAD,
      }),
    })
    expect(await response.text()).toContain('/proxy/storage/main/uploads/')
    await emulator.close()
  })
})

import { manifestOf, md5Of } from '../../support/platform-records.js'
import { change, mine, type Act, type Client } from './acts.js'
import { gone, is, undecided } from './expected.js'
import type { Outcome } from './truth.js'

const PROJECT = { entityName: 'local-team', projectName: 'kills' }
const REGISTRY = { entityName: 'local-team', projectName: 'registry' }

/** The collection of a client, here and in the registry. */
function collectionOf({ who }: Client): string {
  return who.replace(' ', '-')
}

interface Mutation<T> {
  input: object
  /** What it selects of the answer. */
  selection: string
  outcome?: Outcome
  told?: (answer: T) => Outcome
}

/** Makes a mutation that must be acknowledged, and records the expected result. */
async function mutate<T>(
  client: Client,
  field: string,
  { input, selection, outcome, told }: Mutation<T>,
): Promise<T> {
  const operationName = field[0]!.toUpperCase() + field.slice(1)
  const query = `mutation ${operationName}($input: ${operationName}Input!) { ${field}(input: $input) { ${selection} } }`
  const answer = await change<{ data: Record<string, T> }>(client, 'platformGraphql', {
    body: { operationName, query, variables: { input } },
    ...(outcome && { outcome }),
    ...(told && { told: ({ data }) => told(data[field]!) }),
  })
  if (!answer) throw new Error(`${operationName} was refused, for ${client.who}.`)
  return answer.data[field]!
}

const openRun: Act = (client) => {
  const name = `run-${client.unique()}`
  return mutate(client, 'upsertBucket', {
    input: { entityName: PROJECT.entityName, modelName: PROJECT.projectName, name },
    selection: 'inserted',
    outcome: [
      [`run:${name}`, is('running')],
      [`lines:${name}`, is(0)],
    ],
  })
}

/** Logs some lines, the first of which may be there already. */
const logLines: Act = async (client) => {
  const { draws, truth } = client
  const run = (await mine(client, 'lines', openRun))!
  const there = truth.valueOf(`lines:${run}`) as number
  const offset = Math.max(0, there - draws.below(3))
  const lines = Array.from({ length: 1 + draws.below(40) }, (_, at) => `{"_step": ${offset + at}}`)
  await change(client, 'streamRun', {
    path: { entity: PROJECT.entityName, project: PROJECT.projectName, run },
    body: { files: { 'wandb-history.jsonl': { offset, content: lines } } },
    outcome: [[`lines:${run}`, is(Math.max(there, offset + lines.length))]],
  })
}

const finishRun: Act = async (client) => {
  const run = (await mine(client, 'run', openRun, is('running')))!
  await change(client, 'streamRun', {
    path: { entity: PROJECT.entityName, project: PROJECT.projectName, run },
    body: { complete: true, exitcode: 0 },
    outcome: [[`run:${run}`, is('finished')]],
  })
}

/** A file, and the signed address for its content. */
interface OpenedFile {
  id: string
  uploadUrl: string
}

interface OpenedFiles {
  files: OpenedFile[]
}

const openFile: Act = async (client) => {
  const runName = await mine(client, 'run', openRun)
  const files = [`file-${client.unique()}.txt`]
  return mutate<OpenedFiles>(client, 'createRunFiles', {
    input: { ...PROJECT, runName, files },
    selection: 'files { id uploadUrl }',
    told({ files: [file] }) {
      client.uploads.set(file!.id, file!.uploadUrl)
      return [[`file:${file!.id}`, is(null)]]
    },
  })
}

/** Uploads a text. As a body it is JSON, and so is the content. */
function upload(
  client: Client,
  { id: file, uploadUrl }: OpenedFile,
  { body, outcome }: { body: unknown; outcome: Outcome },
): Promise<unknown> {
  const { search: query } = new URL(uploadUrl)
  return change(client, 'uploadFile', { path: { world: 'main', file }, query, body, outcome })
}

const uploadFile: Act = async (client) => {
  const id = (await mine(client, 'file', openFile))!
  const body = `content ${client.unique()}`
  const digest = md5Of(JSON.stringify(body))
  // Also after a kill, which an address survives.
  const file = { id, uploadUrl: client.uploads.get(id)! }
  await upload(client, file, { body, outcome: [[`file:${id}`, is(digest)]] })
}

interface CreatedArtifact {
  artifact: { id: string }
}

/** Creates an artifact and uploads its file and its manifest, without the commit. */
const uploadArtifact: Act = async (client) => {
  const rows = `rows ${client.unique()}`
  const files = { 'rows.txt': JSON.stringify(rows) }
  const { text, digest } = manifestOf(files)
  const collection = { artifactTypeName: 'rows', artifactCollectionName: collectionOf(client) }
  const { artifact } = await mutate<CreatedArtifact>(client, 'createArtifact', {
    input: { ...PROJECT, ...collection, digest, clientID: `client-${client.unique()}` },
    selection: 'artifact { id }',
    told: ({ artifact: { id } }) => [[`artifact:${id}`, is('PENDING')]],
  })
  const { id: artifactID } = artifact
  const spec = { artifactID, name: 'rows.txt', md5: md5Of(files['rows.txt']) }
  const created = await mutate<{ files: { edges: { node: OpenedFile }[] } }>(
    client,
    'createArtifactFiles',
    { input: { artifactFiles: [spec] }, selection: 'files { edges { node { id uploadUrl } } }' },
  )
  const { node } = created.files.edges[0]!
  await upload(client, node, { body: rows, outcome: [[`uploaded:${artifactID}`, is(1)]] })
  const { artifactManifest } = await mutate<{ artifactManifest: { file: OpenedFile } }>(
    client,
    'createArtifactManifest',
    {
      input: { ...PROJECT, runName: '', artifactID, name: 'manifest.json', digest: md5Of(text) },
      selection: 'artifactManifest { file { id uploadUrl } }',
    },
  )
  const outcome: Outcome = [[`uploaded:${artifactID}`, is(2)]]
  await upload(client, artifactManifest.file, { body: JSON.parse(text), outcome })
}

const commitArtifact: Act = async (client) => {
  const artifactID = (await mine(client, 'uploaded', uploadArtifact, is(2)))!
  await mutate(client, 'commitArtifact', {
    input: { artifactID },
    selection: 'artifact { state }',
    outcome: [
      [`artifact:${artifactID}`, is('COMMITTED')],
      [`uploaded:${artifactID}`, gone],
      [`alias:${collectionOf(client)}:latest`, is(artifactID)],
    ],
  })
}

/** One of the client's own committed artifacts, not always the same one. */
async function committed(client: Client): Promise<string> {
  await mine(client, 'artifact', commitArtifact, is('COMMITTED'))
  const keys = client.truth.keys(client.who, 'artifact:', is('COMMITTED'))
  return client.draws.oneOf(keys).slice('artifact:'.length)
}

const moveAlias: Act = async (client) => {
  const artifactID = await committed(client)
  const artifactCollectionName = collectionOf(client)
  await mutate(client, 'addAliases', {
    input: { artifactID, aliases: [{ ...PROJECT, artifactCollectionName, alias: 'best' }] },
    selection: 'success',
    outcome: [[`alias:${artifactCollectionName}:best`, is(artifactID)]],
  })
}

const linkArtifact: Act = async (client) => {
  const artifactID = await committed(client)
  const artifactPortfolioName = `registered-${collectionOf(client)}`
  const aliases = [{ artifactCollectionName: artifactPortfolioName, alias: 'production' }]
  await mutate(client, 'linkArtifact', {
    input: { ...REGISTRY, artifactID, artifactPortfolioName, aliases },
    selection: 'versionIndex',
    outcome: [[`alias:${artifactPortfolioName}:production`, is(artifactID)]],
  })
}

const deleteArtifact: Act = async (client) => {
  const artifactID = await committed(client)
  const collection = collectionOf(client)
  const aliases = [
    `${collection}:latest`,
    `${collection}:best`,
    `registered-${collection}:production`,
  ]
  await mutate(client, 'deleteArtifact', {
    input: { artifactID, deleteAliases: true },
    selection: 'artifact { state }',
    outcome: [
      [`artifact:${artifactID}`, is('DELETED')],
      ...aliases.map((alias) => [`alias:${alias}`, undecided] as const),
    ],
  })
}

/** Puts an artifact into a collection of its own, over the control API. */
const putArtifact: Act = (client) => {
  const name = `put-${collectionOf(client)}`
  return change<{ version: string }>(client, 'putArtifact', {
    body: { name, files: { 'rows.txt': `rows ${client.unique()}` } },
    // Its version is not known before the answer, which a kill may prevent.
    outcome: [[`latest:${name}`, undecided]],
    told: ({ version }) => [[`latest:${name}`, is(version)]],
  })
}

/** What clients do with runs and artifacts, by operation. */
export const platformActs: Readonly<Record<string, Act>> = {
  'platformGraphql.UpsertBucket': openRun,
  streamRun: logLines,
  'streamRun to its end': finishRun,
  'platformGraphql.CreateRunFiles': openFile,
  uploadFile,
  'platformGraphql.CreateArtifactManifest': uploadArtifact,
  'platformGraphql.CommitArtifact': commitArtifact,
  'platformGraphql.AddAliases': moveAlias,
  'platformGraphql.LinkArtifact': linkArtifact,
  'platformGraphql.DeleteArtifact': deleteArtifact,
  putArtifact,
}

/** Logs runs and artifacts with the calls of the SDK for Python. Without a key, they are those of the local account. */
import { basic, besideTraining, graphql, type Caller } from './graphql.js'
import { manifestOf, md5Of } from './platform-records.js'

const PLACE = { entityName: 'local-team', projectName: 'verse' }

interface Mutation {
  input: object
  /** What is asked for: `artifact { id }`. */
  answer: string
  key?: string | undefined
}

function sendMutation(caller: Caller, field: string, { input, answer, key = 'any-key' }: Mutation) {
  // The SDK names them like this, and faults match the names.
  const name = field.charAt(0).toUpperCase() + field.slice(1)
  const mutation = `mutation ${name}($input: ${name}Input!) { ${field}(input: $input) { ${answer} } }`
  return graphql(caller, mutation, { input }, { authorization: basic(key) })
}

/** Makes a change, such as `addAliases`, and returns what it answers. Throws the first error. */
export async function mutate(
  caller: Caller,
  field: string,
  mutation: Mutation,
): Promise<ReturnType<typeof JSON.parse>> {
  const { data, errors } = await sendMutation(caller, field, mutation)
  if (errors) throw new Error(errors[0]!.message)
  return data[field]
}

/** Opens a run, or opens it again. Returns its id. */
export async function openRun(
  caller: Caller,
  { name, displayName = name, key }: { name: string; displayName?: string; key?: string },
): Promise<string> {
  const { entityName, projectName: modelName } = PLACE
  const input = { entityName, modelName, name, displayName }
  return (await mutate(caller, 'upsertBucket', { input, answer: 'bucket { id }', key })).bucket.id
}

interface Chunk {
  /** The place of the first row. Default: 0. */
  offset?: number
  rows?: readonly object[]
  /** The last value of each metric. */
  summary?: object
  /** The program, if several share the run. */
  writer?: string
  /** Whether the machine of the program will be taken away. */
  preempting?: boolean
  /** What the program exited with. Default: it goes on. */
  exitCode?: number
  key?: string
}

/** Sends a part of the metrics of a run, or its end. */
export async function streamRun(
  caller: Caller,
  name: string,
  { offset = 0, rows = [], summary, writer, preempting, exitCode, key = 'any-key' }: Chunk,
): Promise<void> {
  const content = rows.map((row) => JSON.stringify(row))
  const files = {
    ...(rows.length > 0 && { 'wandb-history.jsonl': { offset, content } }),
    ...(summary && { 'wandb-summary.json': { offset: 0, content: [JSON.stringify(summary)] } }),
  }
  const end = exitCode === undefined ? {} : { complete: true, exitcode: exitCode }
  const path = `/files/${PLACE.entityName}/${PLACE.projectName}/${name}/file_stream`
  const response = await caller.fetch(besideTraining(caller, path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: basic(key),
      ...(writer !== undefined && { 'x-wandb-async-client-id': writer }),
    },
    body: JSON.stringify({ files, preempting, ...end }),
  })
  if (!response.ok) throw new Error(await response.text())
}

type Content = string | Uint8Array<ArrayBuffer>

interface LoggedArtifact {
  /** The content of its file. Another content makes another version. */
  content: Content
  /** Default: rows. */
  name?: string
  aliases?: readonly string[]
  tags?: readonly string[]
  metadata?: object
}

/** An artifact that is not committed yet. */
export interface OpenArtifact {
  readonly id: string
  /** The address to which its file is uploaded. */
  readonly url: string
  /** Uploads the manifest, and commits. */
  readonly commit: () => ReturnType<typeof graphql>
}

/** Creates an artifact with one file, as the SDK does before it uploads the file. */
export async function openArtifact(
  caller: Caller,
  content: Content,
  name?: string,
): Promise<OpenArtifact> {
  return (await startArtifact(caller, { content, ...(name !== undefined && { name }) })).open()
}

/** Uploads an artifact with one file, and commits it. Returns its id. */
export async function logArtifact(caller: Caller, logged: LoggedArtifact): Promise<string> {
  const { id, state, open } = await startArtifact(caller, logged)
  if (state === 'COMMITTED') return id
  const { url, commit } = await open()
  // Clients send nothing if the content is there already.
  if (url) await put(caller, url, logged.content)
  await commit()
  return id
}

async function startArtifact(
  caller: Caller,
  { content, name = 'rows', aliases = [], tags = [], metadata = {} }: LoggedArtifact,
): Promise<{ id: string; state: string; open: () => Promise<OpenArtifact> }> {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1')
  const manifest = manifestOf({ 'a.bin': text })
  const started = await mutate(caller, 'createArtifact', {
    input: {
      ...PLACE,
      artifactTypeName: 'dataset',
      artifactCollectionName: name,
      digest: manifest.digest,
      aliases: aliases.map((alias) => ({ artifactCollectionName: name, alias })),
      tags: tags.map((tagName) => ({ tagName })),
      metadata: JSON.stringify(metadata),
    },
    answer: 'artifact { id state }',
  })
  const { id: artifactID, state } = started.artifact
  const commit = async (): ReturnType<typeof graphql> => {
    const written = { name: 'manifest.json', digest: md5Of(manifest.text), type: 'FULL' }
    const { artifactManifest } = await mutate(caller, 'createArtifactManifest', {
      input: { ...PLACE, artifactID, runName: '', ...written },
      answer: 'artifactManifest { file { uploadUrl } }',
    })
    await put(caller, artifactManifest.file.uploadUrl, manifest.text)
    const answer = 'artifact { state versionIndex }'
    return sendMutation(caller, 'commitArtifact', { input: { artifactID }, answer })
  }
  const open = async (): Promise<OpenArtifact> => {
    const { files } = await mutate(caller, 'createArtifactFiles', {
      input: { artifactFiles: [{ artifactID, name: 'a.bin', md5: md5Of(content) }] },
      answer: 'files { edges { node { uploadUrl } } }',
    })
    return { id: artifactID, url: files.edges[0].node.uploadUrl, commit }
  }
  return { id: artifactID, state, open }
}

/** Uploads a content as the SDK does: without a key. */
export async function put(
  { fetch }: Caller,
  url: string,
  body: Content,
): Promise<{ status: number; message: string | undefined }> {
  const response = await fetch(url, { method: 'PUT', body })
  const text = await response.text()
  const { errors } = JSON.parse(text || '{}') as { errors?: readonly { message: string }[] }
  return { status: response.status, message: errors?.[0]?.message }
}

/** The address of the file of the latest version of an artifact. */
export async function addressOf(caller: Caller, name = 'rows'): Promise<string> {
  const { data } = await graphql(
    caller,
    `{ project(name: "verse", entityName: "local-team") { artifact(name: "${name}:latest") {
      files(first: 1) { edges { node { directUrl } } } } } }`,
  )
  return data.project.artifact.files.edges[0].node.directUrl as string
}

interface AliasOfVersion {
  id: string
  /** The collection. */
  name: string
  alias: string
  project?: string
}

/** Gives a version of a collection an alias, or takes it away. */
export async function changeAlias(
  caller: Caller,
  field: 'addAliases' | 'deleteAliases',
  { id: artifactID, name, alias, project = PLACE.projectName }: AliasOfVersion,
): Promise<void> {
  const place = { ...PLACE, projectName: project, artifactCollectionName: name }
  const input = { artifactID, aliases: [{ ...place, alias }] }
  await mutate(caller, field, { input, answer: 'success' })
}

/** Links an artifact to a collection of a registry. Returns the id of the collection. */
export async function link(
  caller: Caller,
  { id, registry, collection }: { id: string; registry: string; collection: string },
): Promise<string> {
  const place = { ...PLACE, projectName: registry, artifactPortfolioName: collection }
  const { artifactMembership } = await mutate(caller, 'linkArtifact', {
    input: { ...place, artifactID: id },
    answer: 'artifactMembership { artifactCollection { id } }',
  })
  return artifactMembership.artifactCollection.id
}

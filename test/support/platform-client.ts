import { basic, besideTraining, graphql, type Caller } from './graphql.js'
import { manifestOf, md5Of } from './platform-records.js'

/** Logs runs and artifacts with the calls of the SDK for Python. Without a key, they are those of the local account. */

const ENTITY = 'local-team'
const PROJECT = 'verse'
const PLACE = `entityName: "${ENTITY}", projectName: "${PROJECT}"`

function authorization(key: string): Record<string, string> {
  return { authorization: basic(key) }
}

/** Opens a run, or opens it again. Returns its id. */
export async function openRun(
  caller: Caller,
  {
    name,
    displayName = name,
    key = 'any-key',
  }: { name: string; displayName?: string; key?: string },
): Promise<string> {
  const mutation = `mutation UpsertBucket($name: String!, $displayName: String!) {
    upsertBucket(input: {
      entityName: "${ENTITY}", modelName: "${PROJECT}", name: $name, displayName: $displayName
    }) { bucket { id } }
  }`
  const sent = await graphql(caller, mutation, { name, displayName }, authorization(key))
  if (sent.errors) throw new Error(sent.errors[0]!.message)
  return sent.data.upsertBucket.bucket.id
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
  { emulator, fetch }: Caller,
  name: string,
  { offset = 0, rows = [], summary, writer, preempting, exitCode, key = 'any-key' }: Chunk,
): Promise<void> {
  const content = rows.map((row) => JSON.stringify(row))
  const files = {
    ...(rows.length > 0 && { 'wandb-history.jsonl': { offset, content } }),
    ...(summary && { 'wandb-summary.json': { offset: 0, content: [JSON.stringify(summary)] } }),
  }
  const end = exitCode === undefined ? {} : { complete: true, exitcode: exitCode }
  const path = `/files/${ENTITY}/${PROJECT}/${name}/file_stream`
  const response = await fetch(besideTraining({ emulator, fetch }, path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...authorization(key),
      ...(writer !== undefined && { 'x-wandb-async-client-id': writer }),
    },
    body: JSON.stringify({ files, preempting, ...end }),
  })
  if (!response.ok) throw new Error(await response.text())
}

interface LoggedArtifact {
  name: string
  /** The content of its file. Another content makes another version. */
  content: string
  type?: string
  aliases?: readonly string[]
  tags?: readonly string[]
  metadata?: object
}

/** Uploads an artifact with one file, and commits it. Returns its id. */
export async function logArtifact(caller: Caller, logged: LoggedArtifact): Promise<string> {
  const { name, content, type = 'dataset', aliases = [], tags = [], metadata = {} } = logged
  const { text, digest } = manifestOf({ 'rows.jsonl': content })
  const { artifact } = await mutate(
    caller,
    `createArtifact(input: { ${PLACE},
      artifactTypeName: "${type}", artifactCollectionName: "${name}", digest: "${digest}",
      aliases: [${aliases.map((alias) => `{ artifactCollectionName: "${name}", alias: "${alias}" }`).join()}],
      tags: [${tags.map((tag) => `{ tagName: "${tag}" }`).join()}],
      metadata: ${JSON.stringify(JSON.stringify(metadata))}
    }) { artifact { id state } }`,
  )
  const { id, state } = artifact as { id: string; state: string }
  if (state === 'COMMITTED') return id
  const { files } = await mutate(
    caller,
    `createArtifactFiles(input: { artifactFiles: [
      { artifactID: "${id}", name: "rows.jsonl", md5: "${md5Of(content)}" }
    ] }) { files { edges { node { uploadUrl } } } }`,
  )
  await put(caller, files.edges[0].node.uploadUrl, content)
  const { artifactManifest } = await mutate(
    caller,
    `createArtifactManifest(input: { ${PLACE}, artifactID: "${id}", name: "manifest.json",
      digest: "${md5Of(text)}", runName: "", type: FULL
    }) { artifactManifest { file { uploadUrl } } }`,
  )
  await put(caller, artifactManifest.file.uploadUrl, text)
  await mutate(caller, `commitArtifact(input: { artifactID: "${id}" }) { artifact { id } }`)
  return id
}

/** Clients send no key to the address of an upload, and nothing if the content is there already. */
async function put({ fetch }: Caller, url: string | null, body: string): Promise<void> {
  if (url !== null) await fetch(url, { method: 'PUT', body })
}

interface AliasOfVersion {
  id: string
  /** The collection. */
  name: string
  alias: string
  project?: string
}

/** Gives a version of a collection an alias. */
export async function addAlias(caller: Caller, alias: AliasOfVersion): Promise<void> {
  await mutate(caller, `addAliases(input: ${aliasInput(alias)}) { success }`)
}

/** Takes an alias away from a version of a collection. */
export async function deleteAlias(caller: Caller, alias: AliasOfVersion): Promise<void> {
  await mutate(caller, `deleteAliases(input: ${aliasInput(alias)}) { success }`)
}

function aliasInput({ id, name, alias, project = PROJECT }: AliasOfVersion): string {
  return `{ artifactID: "${id}", aliases: [{
    entityName: "${ENTITY}", projectName: "${project}",
    artifactCollectionName: "${name}", alias: "${alias}"
  }] }`
}

/** Adds tags to an artifact. */
export async function addTags(caller: Caller, id: string, tags: readonly string[]): Promise<void> {
  const tagsToAdd = tags.map((tagName) => `{ tagName: "${tagName}" }`).join()
  await mutate(
    caller,
    `updateArtifact(input: { artifactID: "${id}", tagsToAdd: [${tagsToAdd}] }) { artifact { id } }`,
  )
}

/** Links an artifact to a collection of a registry. Returns the id of the collection. */
export async function link(
  caller: Caller,
  { id, registry, collection }: { id: string; registry: string; collection: string },
): Promise<string> {
  const { artifactMembership } = await mutate(
    caller,
    `linkArtifact(input: { artifactID: "${id}", artifactPortfolioName: "${collection}",
      entityName: "${ENTITY}", projectName: "${registry}"
    }) { artifactMembership { artifactCollection { id } } }`,
  )
  return artifactMembership.artifactCollection.id
}

/** What a mutation answers. */
// Tests know what they asked for.
// oxlint-disable-next-line typescript/no-explicit-any
async function mutate(caller: Caller, mutation: string): Promise<any> {
  const { data, errors } = await graphql(caller, `mutation { answer: ${mutation} }`)
  if (errors) throw new Error(errors[0]!.message)
  return data.answer
}

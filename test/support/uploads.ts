import { graphql, type Caller } from './graphql.js'
import { manifestOf, md5Of } from './platform-records.js'

type Content = string | Uint8Array<ArrayBuffer>

const PLACE = 'entityName: "local-team", projectName: "verse"'

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
  api: Caller,
  content: Content,
  name = 'rows',
): Promise<OpenArtifact> {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1')
  const manifest = manifestOf({ 'a.bin': text })
  const created = await graphql(
    api,
    `mutation CreateArtifact { createArtifact(input: { ${PLACE}, artifactTypeName: "dataset",
      artifactCollectionName: "${name}", digest: "${manifest.digest}" }) { artifact { id } } }`,
  )
  const { id } = created.data.createArtifact.artifact as { id: string }
  const files = await graphql(
    api,
    `mutation CreateArtifactFiles { createArtifactFiles(input: { artifactFiles: [{
      artifactID: "${id}", name: "a.bin", md5: "${md5Of(content)}" }] }) {
        files { edges { node { uploadUrl } } } } }`,
  )
  const { uploadUrl } = files.data.createArtifactFiles.files.edges[0].node as { uploadUrl: string }
  const commit = async () => {
    const { data } = await graphql(
      api,
      `mutation CreateArtifactManifest { createArtifactManifest(input: { ${PLACE}, runName: "",
        artifactID: "${id}", name: "manifest.json", digest: "${md5Of(manifest.text)}", type: FULL
      }) { artifactManifest { file { uploadUrl } } } }`,
    )
    const { file } = data.createArtifactManifest.artifactManifest
    await put(api, file.uploadUrl as string, manifest.text)
    const mutation = `mutation CommitArtifact { commitArtifact(input: { artifactID: "${id}" }) {
      artifact { state versionIndex } } }`
    return graphql(api, mutation)
  }
  return { id, url: uploadUrl, commit }
}

/** Uploads a content as the SDK does: without a key. */
export async function put(api: Caller, url: string, body: Content): Promise<Refused> {
  const response = await api.fetch(url, { method: 'PUT', body })
  const text = await response.text()
  const { errors } = (text === '' ? {} : JSON.parse(text)) as Partial<Refusal>
  return { status: response.status, message: errors?.[0]?.message }
}

interface Refusal {
  readonly errors: readonly { readonly message: string }[]
}

export interface Refused {
  readonly status: number
  readonly message: string | undefined
}

/** The address of the file of the latest version of an artifact. */
export async function addressOf(api: Caller, name = 'rows'): Promise<string> {
  const { data } = await graphql(
    api,
    `{ project(name: "verse", entityName: "local-team") { artifact(name: "${name}:latest") {
      files(first: 1) { edges { node { directUrl } } } } } }`,
  )
  return data.project.artifact.files.edges[0].node.directUrl as string
}

import type { Artifact, ManifestRecord } from '../../platform/artifact.js'
import { unknownId } from '../../platform/platform-error.js'
import {
  artifactWithId,
  checkEntity,
  checkFound,
  saidIn,
  type Input,
  type Mutations,
  type PlatformCall,
  type View,
} from './call.js'
import { connection, MOST_PER_PAGE } from './connection.js'
import { runNamed, type NamedRun } from './run-mutations.js'

export interface OneArtifact {
  readonly artifactID: string
}

export interface AliasInput {
  readonly artifactCollectionName: string
  readonly alias: string
}

export interface TagInput {
  readonly tagName: string
}

interface CreateArtifact {
  readonly entityName: string
  readonly projectName: string
  readonly runName?: string | null
  readonly artifactTypeName: string
  readonly artifactCollectionName?: string | null
  readonly artifactCollectionNames?: readonly string[] | null
  readonly digest: string
  readonly description?: string | null
  readonly aliases?: readonly AliasInput[] | null
  readonly tags?: readonly TagInput[] | null
  readonly metadata?: string | null
  readonly ttlDurationSeconds?: number | null
  readonly historyStep?: number | null
  readonly distributedID?: string | null
  readonly clientID?: string | null
}

interface CreateManifest extends OneArtifact {
  readonly baseArtifactID?: string | null
  readonly name: string
  readonly digest: string
  readonly type?: ManifestRecord['type'] | null
}

interface CreateFiles {
  readonly artifactFiles: readonly (OneArtifact & { readonly name: string; readonly md5: string })[]
}

interface UpdateArtifact extends OneArtifact {
  readonly description?: string | null
  readonly metadata?: string | null
  readonly ttlDurationSeconds?: number | null
  readonly aliases?: readonly AliasInput[] | null
  readonly tagsToAdd?: readonly TagInput[] | null
  readonly tagsToDelete?: readonly TagInput[] | null
}

/** The fields of `Mutation` that log, change and delete artifacts. */
export function artifactMutations(call: PlatformCall): Mutations {
  const { platform, author, views } = call
  const { artifacts } = platform
  const show = (artifact: Artifact): View => ({ artifact: views.artifact(artifact) })
  return {
    createArtifactType: ({ input }: Input<CreateType>) => createType(input, call),
    createArtifact: ({ input }: Input<CreateArtifact>) => show(createArtifact(input, call)),
    createArtifactManifest: ({ input }: Input<CreateManifest>) => createManifest(input, call),
    updateArtifactManifest: ({ input }: Input<UpdateManifest>) => updateManifest(input, call),
    createArtifactFiles: ({ input }: Input<CreateFiles>) => createFiles(input, call),
    commitArtifact: ({ input }: Input<OneArtifact>) =>
      show(artifacts.commit(artifactOf(input, call), author)),
    useArtifact: ({ input }: Input<OneArtifact & NamedRun>) => {
      const artifact = artifactOf(input, call)
      artifacts.use(artifact, runNamed(input, call))
      return show(artifact)
    },
    updateArtifact: ({ input }: Input<UpdateArtifact>) => {
      const artifact = artifactOf(input, call)
      const { description, metadata, ttlDurationSeconds: ttlSeconds, ...labels } = saidIn(input)
      const { aliases, tagsToAdd, tagsToDelete } = labels
      const revision = {
        description,
        metadata,
        ttlSeconds,
        aliases: aliases?.map(aliasIn),
        tagsToAdd: tagsToAdd?.map(tagIn),
        tagsToDelete: tagsToDelete?.map(tagIn),
      }
      artifacts.revise(artifact, revision, author)
      return show(artifact)
    },
    deleteArtifact: ({ input }: Input<OneArtifact & { deleteAliases?: boolean | null }>) => {
      const artifact = artifactOf(input, call)
      artifacts.delete(artifact, { withAliases: input.deleteAliases === true }, author)
      return show(artifact)
    },
  }
}

/** The artifact that a mutation changes. */
export function artifactOf({ artifactID }: OneArtifact, call: PlatformCall): Artifact {
  return checkFound(call, artifactWithId(call, artifactID), { kind: 'artifact', id: artifactID })
}

export function aliasIn({ alias }: AliasInput): string {
  return alias
}

export function tagIn({ tagName }: TagInput): string {
  return tagName
}

interface CreateType {
  readonly name: string
  readonly entityName: string
  readonly projectName: string
}

function createType({ name, entityName, projectName }: CreateType, call: PlatformCall): View {
  const entity = checkEntity(call, entityName)
  const { projects } = call.platform
  projects.checkTypes(projects.named(entity, projectName), [name])
  const project = projects.open(entity, projectName, call.author)
  projects.addType(project, name)
  return { artifactType: call.views.artifactType(project, name) }
}

function createArtifact(input: CreateArtifact, call: PlatformCall): Artifact {
  const entity = checkEntity(call, input.entityName)
  const { projectName: project, runName, artifactTypeName: type } = input
  const collection = input.artifactCollectionName ?? input.artifactCollectionNames?.[0] ?? ''
  const run = runName
    ? runNamed({ entityName: entity, projectName: project, runName }, call)
    : undefined
  const { digest, description, metadata, historyStep, aliases, tags, ...rest } = saidIn(input)
  const facts = {
    digest,
    description,
    metadata,
    historyStep,
    // Clients send the alias that every newest version gets, too.
    aliases: aliases?.map(aliasIn),
    tags: tags?.map(tagIn),
    clientId: rest.clientID,
    distributedId: rest.distributedID,
    ttlSeconds: rest.ttlDurationSeconds,
  }
  const place = { entity, project, collection, type, run }
  return call.platform.artifacts.create(place, facts, call.author)
}

function createManifest(input: CreateManifest, call: PlatformCall): View {
  const { baseArtifactID, name: path, digest, type } = input
  const artifact = artifactOf(input, call)
  const base = baseArtifactID ? artifactOf({ artifactID: baseArtifactID }, call) : undefined
  const facts = { type: type ?? 'FULL', base, digest, path }
  const manifest = call.platform.artifacts.addManifest(artifact, facts)
  return { artifactManifest: pendingManifest(manifest, call) }
}

interface UpdateManifest {
  readonly artifactManifestID: string
  readonly digest?: string | null
  readonly baseArtifactID?: string | null
}

function updateManifest(input: UpdateManifest, call: PlatformCall): View {
  const { artifactManifestID, digest, baseArtifactID } = saidIn(input)
  const manifest = call.platform.artifacts.manifestWithId(artifactManifestID)
  if (!manifest || !call.sees(manifest.file.entity)) {
    throw unknownId('manifest', artifactManifestID)
  }
  const base = baseArtifactID ? artifactOf({ artifactID: baseArtifactID }, call) : undefined
  call.platform.artifacts.reviseManifest(manifest, { base, digest })
  return { artifactManifest: pendingManifest(manifest, call) }
}

function pendingManifest({ id, type, file }: ManifestRecord, { views }: PlatformCall): View {
  return { id, type, digest: file.expected ?? '', file: views.file(file) }
}

function createFiles({ artifactFiles }: CreateFiles, call: PlatformCall): View {
  const wanted = artifactFiles.map((each) => ({
    artifact: artifactOf(each, call),
    path: each.name,
    digest: each.md5,
  }))
  const files = call.platform.artifacts.addFiles(wanted)
  const first = Math.min(files.length, MOST_PER_PAGE)
  const nodes = files.map((file, index) => ({
    ...call.views.file(file),
    artifact: () => call.views.artifact(wanted[index]!.artifact),
  }))
  return { files: connection(nodes, { first }, (node) => ({ node })) }
}

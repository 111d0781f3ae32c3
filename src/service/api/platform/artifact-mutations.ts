import type {
  Artifact,
  ArtifactCollection,
  ManifestRecord,
  Version,
} from '../../platform/artifact.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import { artifactWithId, checkEntity, type Input, type PlatformCall, type View } from './call.js'
import { tagView } from './collection-view.js'
import { connection, MOST_PER_PAGE } from './connection.js'
import { runNamed, type NamedRun } from './run-mutations.js'

interface OneArtifact {
  readonly artifactID: string
}

interface AliasInput {
  readonly artifactCollectionName: string
  readonly alias: string
}

interface TagInput {
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
  readonly aliases?: readonly AliasInput[] | null
  readonly tagsToAdd?: readonly TagInput[] | null
  readonly tagsToDelete?: readonly TagInput[] | null
}

/** The fields of `Mutation` that log, change and delete artifacts. */
export function artifactMutations(call: PlatformCall): View {
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
      const { description, metadata, aliases, tagsToAdd, tagsToDelete } = input
      const revision = {
        description: description ?? undefined,
        metadata: metadata ?? undefined,
        aliases: aliases?.map(({ alias }) => alias),
        tagsToAdd: tagsToAdd?.map(({ tagName }) => tagName),
        tagsToDelete: tagsToDelete?.map(({ tagName }) => tagName),
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
function artifactOf({ artifactID }: OneArtifact, call: PlatformCall): Artifact {
  const artifact = artifactWithId(call, artifactID)
  if (artifact && call.sees(artifact.entity)) return artifact
  throw new PlatformError('not-found', `There is no artifact with the id ${quoted(artifactID)}.`)
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
  const facts = {
    digest: input.digest,
    description: input.description ?? undefined,
    metadata: input.metadata ?? undefined,
    // Clients send the alias that every newest version gets, too.
    aliases: input.aliases?.map(({ alias }) => alias),
    tags: input.tags?.map(({ tagName }) => tagName),
    clientId: input.clientID ?? undefined,
    distributedId: input.distributedID ?? undefined,
    ttlSeconds: input.ttlDurationSeconds ?? undefined,
    historyStep: input.historyStep ?? undefined,
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
}

function updateManifest({ artifactManifestID, digest }: UpdateManifest, call: PlatformCall): View {
  const manifest = call.platform.artifacts.manifestWithId(artifactManifestID)
  if (!manifest || !call.sees(manifest.file.entity)) {
    throw new PlatformError(
      'not-found',
      `There is no manifest with the id ${quoted(artifactManifestID)}.`,
    )
  }
  if (digest !== null && digest !== undefined && digest !== '') manifest.file.expect(digest)
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

interface LinkArtifact {
  readonly artifactID?: string | null
  readonly clientID?: string | null
  readonly artifactPortfolioID?: string | null
  readonly artifactPortfolioName?: string | null
  readonly entityName?: string | null
  readonly projectName?: string | null
  readonly aliases?: readonly AliasInput[] | null
}

interface NamedCollection {
  readonly entityName: string
  readonly projectName: string
  readonly artifactCollectionName: string
}

interface Aliases extends OneArtifact {
  readonly aliases: readonly (AliasInput & NamedCollection)[]
}

interface CollectionTags extends NamedCollection {
  readonly tags: readonly TagInput[]
}

/** The fields of `Mutation` that link artifacts, and change aliases and collections. */
export function collectionMutations(call: PlatformCall): View {
  const { platform, author, views } = call
  const { artifacts } = platform
  const show = (collection: ArtifactCollection): View => ({
    artifactCollection: views.collection(collection),
  })
  const remove = (id: string): View => {
    const collection = collectionWithId(id, call)
    const view = show(collection)
    artifacts.deleteCollection(collection, author)
    return view
  }
  return {
    linkArtifact: ({ input }: Input<LinkArtifact>) => linkArtifact(input, call),
    unlinkArtifact: ({ input }: Input<OneArtifact & { artifactPortfolioID: string }>) => {
      const collection = collectionWithId(input.artifactPortfolioID, call)
      const artifact = artifactOf(input, call)
      artifacts.links.unlink(artifact, collection, author)
      return { artifactID: artifact.id, success: true }
    },
    addAliases: ({ input }: Input<Aliases>) => {
      for (const [version, aliases] of aliasesByVersion(input, call)) {
        artifacts.addAliases(version, aliases, author)
      }
      return { success: true }
    },
    deleteAliases: ({ input }: Input<Aliases>) => {
      for (const [version, aliases] of aliasesByVersion(input, call)) {
        artifacts.removeAliases(version, aliases, author)
      }
      return { success: true }
    },
    updateArtifactSequence: ({ input }: Input<ReviseCollection & { artifactSequenceID: string }>) =>
      show(reviseCollection(collectionWithId(input.artifactSequenceID, call), input, call)),
    updateArtifactPortfolio: ({
      input,
    }: Input<ReviseCollection & { artifactPortfolioID: string }>) =>
      show(reviseCollection(collectionWithId(input.artifactPortfolioID, call), input, call)),
    moveArtifactSequence: ({
      input,
    }: Input<{ artifactSequenceID: string; destinationArtifactTypeName: string }>) => {
      const collection = collectionWithId(input.artifactSequenceID, call)
      artifacts.collections.retype(collection, input.destinationArtifactTypeName)
      return show(collection)
    },
    deleteArtifactSequence: ({ input }: Input<{ artifactSequenceID: string }>) =>
      remove(input.artifactSequenceID),
    deleteArtifactPortfolio: ({ input }: Input<{ artifactPortfolioID: string }>) =>
      remove(input.artifactPortfolioID),
    ...tagMutations(call),
  }
}

function tagMutations(call: PlatformCall): View {
  const { collections } = call.platform.artifacts
  return {
    createArtifactCollectionTagAssignments: ({ input }: Input<CollectionTags>) => {
      const collection = collectionNamed(input, call)
      collections.addTags(collection, namesOf(input.tags), call.author)
      return { tags: () => [...collection.tags].map(tagView) }
    },
    deleteArtifactCollectionTagAssignments: ({ input }: Input<CollectionTags>) => {
      collections.removeTags(collectionNamed(input, call), namesOf(input.tags), call.author)
      return { success: true }
    },
  }
}

function namesOf(tags: readonly TagInput[]): string[] {
  return tags.map(({ tagName }) => tagName)
}

function linkArtifact(input: LinkArtifact, call: PlatformCall): View {
  const { artifacts } = call.platform
  const { artifactID, clientID, artifactPortfolioID, aliases } = input
  const artifact = artifactID
    ? artifactOf({ artifactID }, call)
    : artifacts.withClientId(clientID ?? '')
  if (!artifact || !call.sees(artifact.entity)) {
    throw new PlatformError(
      'not-found',
      `There is no artifact with the client id ${quoted(clientID ?? '')}.`,
    )
  }
  const known = artifactPortfolioID ? collectionWithId(artifactPortfolioID, call) : undefined
  const place = known
    ? { entity: known.entity, project: known.project.name, collection: known.name }
    : {
        entity: checkEntity(call, input.entityName),
        project: input.projectName ?? '',
        collection: input.artifactPortfolioName ?? '',
      }
  const named = aliases?.map(({ alias }) => alias) ?? []
  const version = artifacts.links.link(artifact, { ...place, aliases: named }, call.author)
  return { versionIndex: version.index, artifactMembership: call.views.version(version) }
}

/** The aliases of a mutation, by the versions that the artifact is. */
function aliasesByVersion(input: Aliases, call: PlatformCall): Map<Version, string[]> {
  const artifact = artifactWithId(call, input.artifactID)
  const versions = new Map<Version, string[]>()
  for (const named of input.aliases) {
    const collection = collectionNamed(named, call)
    const version = artifact?.memberships.find((each) => each.collection === collection)
    if (!version) {
      throw new PlatformError(
        'not-found',
        `The artifact with the id ${quoted(input.artifactID)} is not a version of the collection ${quoted(collection.name)}.`,
      )
    }
    versions.set(version, [...(versions.get(version) ?? []), named.alias])
  }
  return versions
}

function collectionNamed(named: NamedCollection, call: PlatformCall): ArtifactCollection {
  const { projectName, artifactCollectionName: name } = named
  const entity = checkEntity(call, named.entityName)
  const collection = call.platform.projects.get(entity, projectName).collections.get(name)
  if (collection) return collection
  throw new PlatformError(
    'not-found',
    `There is no artifact collection ${quoted(name)} in the project ${quoted(projectName)}.`,
  )
}

function collectionWithId(id: string, call: PlatformCall): ArtifactCollection {
  const collection = call.platform.artifacts.collectionWithId(id)
  if (collection && call.sees(collection.entity)) return collection
  throw new PlatformError('not-found', `There is no artifact collection with the id ${quoted(id)}.`)
}

interface ReviseCollection {
  readonly name?: string | null
  readonly description?: string | null
}

function reviseCollection(
  collection: ArtifactCollection,
  { name, description }: ReviseCollection,
  { platform }: PlatformCall,
): ArtifactCollection {
  if (name) platform.artifacts.collections.rename(collection, name)
  if (description !== null && description !== undefined) {
    platform.artifacts.collections.describe(collection, description)
  }
  return collection
}

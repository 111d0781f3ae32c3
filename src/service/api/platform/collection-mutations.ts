import type { ArtifactCollection, Version } from '../../platform/artifact.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import {
  aliasIn,
  artifactOf,
  tagIn,
  type AliasInput,
  type OneArtifact,
  type TagInput,
} from './artifact-mutations.js'
import {
  artifactWithId,
  checkEntity,
  checkFound,
  type Input,
  type Mutations,
  type PlatformCall,
  type View,
} from './call.js'
import { tagView } from './collection-view.js'

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
export function collectionMutations(call: PlatformCall): Mutations {
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
      artifacts.addAliases(aliasesByVersion(input, call), author)
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

function tagMutations(call: PlatformCall): Mutations {
  const { collections } = call.platform.artifacts
  return {
    createArtifactCollectionTagAssignments: ({ input }: Input<CollectionTags>) => {
      const collection = collectionNamed(input, call)
      collections.addTags(collection, input.tags.map(tagIn), call.author)
      return { tags: () => [...collection.tags].map(tagView) }
    },
    deleteArtifactCollectionTagAssignments: ({ input }: Input<CollectionTags>) => {
      collections.removeTags(collectionNamed(input, call), input.tags.map(tagIn), call.author)
      return { success: true }
    },
  }
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
  const named = aliases?.map(aliasIn) ?? []
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
  return checkFound(call, collection, { kind: 'artifact collection', id })
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

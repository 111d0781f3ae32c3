import { valueAt } from '../../../base/text/value-at.js'
import type { Artifact, ArtifactCollection, Version } from '../../platform/artifact.js'
import { formatMoment, idOf, type PlatformCall, type View, viewOf } from './call.js'
import {
  connection,
  nodesOf,
  MOST_PER_PAGE,
  type FileArguments,
  type ListArguments,
  type PageArguments,
} from './connection.js'
import type { QueryReading } from './query-reading.js'
import { fieldNamed, selected } from './filter.js'

/** The name of artifacts, with its versions. */
export function collectionView(collection: ArtifactCollection, call: PlatformCall): View {
  const { views, platform } = call
  const { id, name, description, createdAt, updatedAt, project, kind } = collection
  const owner = platform.projects.named(project.entity, project.name)
  return {
    __typename: kind === 'source' ? 'ArtifactSequence' : 'ArtifactPortfolio',
    id,
    name,
    // Some versions of the SDK refuse an empty text.
    description: description === '' ? null : description,
    createdAt: formatMoment(createdAt),
    updatedAt: formatMoment(updatedAt),
    state: 'READY',
    project: () => (owner && call.sees(owner.entity) ? views.project(owner) : null),
    defaultArtifactType: () => views.artifactType(project, collection.type),
    // Clients take them all at once, without a size.
    tags: (page: PageArguments) =>
      nodesOf([...collection.tags], { ...page, first: page.first ?? MOST_PER_PAGE }, tagView),
    aliases: (page: PageArguments) =>
      nodesOf([...collection.aliases], page, ([alias, version]) => views.alias(alias, version)),
    artifactMembership: ({ aliasName }: { aliasName: string }) =>
      viewOf(collection.find(aliasName), views.version),
    artifacts: (wanted: ListArguments) => versionPage(collection, wanted, call),
    latestArtifact: () => viewOf(collection.newest?.artifact, views.artifact),
    digestAlgorithm: 'MANIFEST_MD5',
  }
}

/** The newest versions come first, as the service lists them. */
function versionPage(
  { members }: ArtifactCollection,
  wanted: ListArguments,
  { views, reading }: PlatformCall,
): View {
  const order = wanted.order === '' ? undefined : wanted.order
  const selection = { ...wanted, order: order ?? '-versionIndex' }
  const versions = selected([...members], selection, versionValue, reading)
  return connection(versions, wanted, (version) => ({
    version: `v${version.index}`,
    node: () => views.artifact(version.artifact),
  }))
}

/** An artifact as a version of a collection. */
export function versionView(version: Version, { views }: PlatformCall): View {
  const { id, index, createdAt, aliases, collection, artifact } = version
  return {
    __typename: 'ArtifactCollectionMembership',
    id,
    versionIndex: index,
    createdAt: formatMoment(createdAt),
    aliases: () => [...aliases].map((alias) => views.alias(alias, version)),
    artifactCollection: () => views.collection(collection),
    artifact: () => views.artifact(artifact),
    files: (wanted: FileArguments) => views.artifactFiles(artifact, wanted),
  }
}

/** An alias of a version. */
export function aliasView(
  alias: string,
  { id, collection }: Version,
  { views }: PlatformCall,
): View {
  return {
    __typename: 'ArtifactAlias',
    id: idOf('ArtifactAlias', `${id}:${alias}`),
    alias,
    artifactCollection: () => views.collection(collection),
    artifactCollectionName: collection.name,
  }
}

export function tagView(name: string): View {
  return { __typename: 'Tag', id: idOf('Tag', name), name }
}

/** A value of a collection that filters and orders name. */
export function collectionValue(collection: ArtifactCollection, path: string): unknown {
  const name = fieldNamed(path)
  switch (name) {
    case 'name':
    case 'description':
      return collection[name]
    case 'artifactCollectionId':
      return collection.id
    case 'type':
    case 'artifactType':
      return collection.type
    case 'tag':
    case 'tags':
      return [...collection.tags]
    case 'createdAt':
      return new Date(collection.createdAt)
    case 'updatedAt':
      return new Date(collection.updatedAt)
    default:
      return undefined
  }
}

/** A value of a version that filters and orders name. */
export function versionValue(
  { artifact, aliases, index, createdAt }: Version,
  path: string,
  reading: QueryReading,
): unknown {
  switch (fieldNamed(path)) {
    case 'alias':
    case 'aliases':
      return [...aliases]
    case 'version':
    case 'versionIndex':
      return index
    case 'createdAt':
      return new Date(createdAt)
    case 'updatedAt':
      return new Date(artifact.updatedAt)
    default:
      return artifactValue(artifact, path, reading)
  }
}

function artifactValue(artifact: Artifact, path: string, reading: QueryReading): unknown {
  const [first = '', ...rest] = path.split('.')
  switch (first) {
    case 'tag':
    case 'tags':
      return [...artifact.tags]
    case 'metadata':
      return valueAt(reading.object(artifact.metadata), rest)
    case 'state':
    case 'digest':
    case 'size':
    case 'id':
    case 'description':
      return artifact[first]
    default:
      return undefined
  }
}

import type { ArtifactCollection } from '../../platform/artifact.js'
import type { Project } from '../../platform/project.js'
import type { ProjectRecord } from '../../platform/project-record.js'
import type { Run } from '../../platform/run.js'
import { automationsOfProject } from './automation-views.js'
import { formatMoment, idOf, type PlatformCall, type View, viewOf } from './call.js'
import { collectionValue } from './collection-view.js'
import { nodesOf, type ListArguments, type PageArguments } from './connection.js'
import { selected } from './filter.js'
import { runValue } from './run-values.js'

/** A project with its runs and its artifacts. */
export function projectView(project: Project, call: PlatformCall): View {
  const { views, platform, reading } = call
  const runs = (wanted: ListArguments): readonly Run[] =>
    selected([...project.runs.values()], wanted, runValue, reading)
  const runNamed = ({ name }: { name: string }): View | null =>
    viewOf(project.runs.get(name), views.run)
  const find = (reference: string) => platform.artifacts.find(project, reference)
  return {
    __typename: 'Project',
    ...projectFacts(project, call),
    triggers: () => automationsOfProject(project, call),
    run: runNamed,
    bucket: runNamed,
    runCount: ({ filters = null }: ListArguments) => runs({ filters }).length,
    runs: (wanted: ListArguments) => nodesOf(runs(wanted), wanted, views.run),
    artifact: ({ name }: { name: string }) => viewOf(find(name)?.artifact, views.artifact),
    artifactCollectionMembership: ({ name }: { name: string }) => viewOf(find(name), views.version),
    artifactCollection: ({ name }: { name: string }) =>
      viewOf(project.collections.get(name), views.collection),
    artifactCollections: (wanted: ListArguments) =>
      collectionPage([...project.collections.values()], wanted, call),
    artifactType: ({ name }: { name: string }) =>
      project.types.has(name) ? views.artifactType(project, name) : null,
    artifactTypes: (page: PageArguments) =>
      nodesOf([...project.types.keys()], page, (name) => views.artifactType(project, name)),
  }
}

/** What every project has, also one that is only named. */
function projectFacts(project: Project, { views }: PlatformCall): View {
  const { id, ordinal, name, entity, createdAt, description, access, views: shown } = project
  return {
    id,
    internalId: String(ordinal),
    name,
    entityName: entity,
    entity: () => views.entity(entity),
    user: null,
    // Some versions of the SDK refuse an empty text.
    description: description === '' ? null : description,
    createdAt: formatMoment(createdAt),
    updatedAt: formatMoment(createdAt),
    access: access ?? 'PRIVATE',
    views: shown ?? null,
    isBenchmark: false,
    readOnly: false,
    allowAllArtifactTypesInRegistry: project.allowsAllTypes ?? true,
  }
}

/** A type of artifacts in a project. */
export function artifactTypeView(
  { entity, name: projectName, createdAt }: ProjectRecord,
  name: string,
  call: PlatformCall,
): View {
  const { platform, views } = call
  const project = (): Project | undefined => platform.projects.named(entity, projectName)
  const collectionNamed = (wanted: string): ArtifactCollection | undefined => {
    const collection = project()?.collections.get(wanted)
    return collection?.type === name ? collection : undefined
  }
  const collections = (): ArtifactCollection[] => project()?.collectionsOf(name) ?? []
  return {
    __typename: 'ArtifactType',
    id: idOf('ArtifactType', `${entity}/${projectName}/${name}`),
    name,
    description: null,
    createdAt: formatMoment(createdAt),
    artifact: (wanted: { name: string }) => {
      const ofProject = project()
      const version = ofProject && platform.artifacts.find(ofProject, wanted.name)
      return version?.collection.type === name ? views.artifact(version.artifact) : null
    },
    artifactCollection: (wanted: { name: string }) =>
      viewOf(collectionNamed(wanted.name), views.collection),
    artifactSequence: (wanted: { name: string }) => {
      const collection = collectionNamed(wanted.name)
      return collection?.kind === 'source' ? views.collection(collection) : null
    },
    artifactCollections: (wanted: ListArguments) => collectionPage(collections(), wanted, call),
  }
}

function collectionPage(
  collections: readonly ArtifactCollection[],
  wanted: ListArguments,
  { views, reading }: PlatformCall,
): View {
  const found = selected(collections, wanted, collectionValue, reading)
  return nodesOf(found, wanted, views.collection)
}

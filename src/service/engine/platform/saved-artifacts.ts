import { Artifact, type ArtifactCollection, type Version } from '../../platform/artifact.js'
import { Collection, Membership } from '../../platform/collection.js'
import type { ArtifactUse } from '../../platform/savable.js'
import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import type { Complete } from '../saved/complete.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'
import { jsonObject } from './saved-runs.js'

type CollectionRecord = KeyedRecord<'collection', ContentFrom<typeof collectionFields>>

const collectionFields = ({ string, boolean, choice, array, count, moment }: RecordFields) => ({
  project: string(),
  name: string().min(1),
  type: string(),
  /** `source`: artifacts are committed to it. `linked`: artifacts of other collections are linked to it. */
  of: choice(['source', 'linked']),
  createdAt: moment,
  updatedAt: moment,
  description: string(),
  tags: array(string()),
  /** The index that its next version will have. */
  next: count,
  /** Only the artifacts that were in it still have it. */
  deleted: boolean(),
})

/** The collections of artifacts. */
export const savedCollections: SavedPart<CollectionRecord, ArtifactCollection, PlatformWorld> = {
  kind: 'collection',
  fields: collectionFields,
  *all({ engine }) {
    for (const each of engine.clientPlatform.artifacts.records.collections) yield [each.id, each]
  },
  content(collection) {
    const { project, name, type, kind: of, createdAt, updatedAt, description, tags } = collection
    const record = { project: project.id, name, type, of, createdAt, updatedAt, description }
    const { nextIndex: next, isDeleted: deleted } = collection
    return { ...record, tags: [...tags], next, deleted }
  },
  ...PLATFORM_RECORDS,
}

type ArtifactRecord = KeyedRecord<'artifact', ContentFrom<typeof artifactFields>>
type SavedArtifact = NonNullable<ArtifactRecord['artifact']>

function artifactFields(fields: RecordFields) {
  const { strictObject, string, choice, array, number, count, moment } = fields
  const artifact = strictObject({
    source: string(),
    digest: string().min(1),
    description: string(),
    metadata: jsonObject(fields),
    state: choice(['PENDING', 'COMMITTED', 'DELETED']),
    clientId: string().optional(),
    distributedId: string().optional(),
    ttlSeconds: number().optional(),
    historyStep: number().optional(),
    checkpoint: string().optional(),
    user: string(),
    /** The id of the run that logged it. */
    run: string().optional(),
    createdAt: moment,
    updatedAt: moment,
    tags: array(string()),
    plannedAliases: array(string()),
    /** The MD5 of its committed manifest in base64. */
    manifest: string().optional(),
    /** The size of all of its files, in bytes. */
    size: number().min(0),
    fileCount: count,
  })
  /** Null if its id means another one now. */
  return { artifact: artifact.nullable() }
}

/** The artifacts, deleted ones included: clients still have their ids. */
export const savedArtifacts: SavedPart<ArtifactRecord, Artifact | undefined, PlatformWorld> = {
  kind: 'artifact',
  fields: artifactFields,
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) yield [artifact.id, artifact]
  },
  content: (artifact) => ({ artifact: artifact ? savedArtifact(artifact) : null }),
  restore(records, world, { recordsOf }) {
    const collections = restoreCollections(recordsOf(savedCollections), world)
    const { runs, artifacts } = world.engine.clientPlatform
    for (const { key: id, artifact: saved } of records) {
      const { source, run, user, createdAt: at, plannedAliases: aliases, ...rest } = saved!
      const { state, updatedAt, manifest, size, fileCount, ...facts } = rest
      const artifact = new Artifact({
        id,
        source: collections.get(source)!,
        facts: { ...facts, aliases },
        user,
        run: run === undefined ? undefined : runs.withId(run),
        at,
      })
      Object.assign(artifact, { state, updatedAt, manifestDigest: manifest, size, fileCount })
      artifacts.records.index.add(artifact)
    }
    const nextIndexes = new Map(recordsOf(savedCollections).map(({ key, next }) => [key, next]))
    artifacts.records.restoreVersions(
      restoredVersions(recordsOf(savedVersions), { world, collections }),
      nextIndexes,
    )
  },
  isGone: ({ artifact }) => artifact === null,
  ...PLATFORM_RECORDS,
}

function savedArtifact(artifact: Artifact): Complete<SavedArtifact> {
  const { digest, description, metadata, state, clientId, distributedId, ttlSeconds } = artifact
  const { historyStep, checkpoint, user, createdAt, updatedAt, manifestDigest } = artifact
  return {
    source: artifact.source.id,
    digest,
    description,
    metadata,
    state,
    clientId,
    distributedId,
    ttlSeconds,
    historyStep,
    checkpoint,
    user,
    run: artifact.run?.id,
    createdAt,
    updatedAt,
    tags: [...artifact.tags],
    plannedAliases: [...artifact.plannedAliases],
    manifest: manifestDigest,
    size: artifact.size,
    fileCount: artifact.fileCount,
  }
}

function restoreCollections(
  records: readonly CollectionRecord[],
  { engine: { clientPlatform: platform } }: PlatformWorld,
): ReadonlyMap<string, ArtifactCollection> {
  const projects = platform.projects.byId
  const collections = new Map<string, ArtifactCollection>()
  for (const saved of records) {
    const { key: id, name, type, of: kind, createdAt: at, description, updatedAt } = saved
    const project = projects.get(saved.project)!
    const collection = new Collection<Artifact>({ id, name, type, project, kind, at })
    Object.assign(collection, { description, updatedAt, isDeleted: saved.deleted })
    for (const tag of saved.tags) collection.tags.add(tag)
    platform.artifacts.records.restoreCollection(collection)
    collections.set(id, collection)
  }
  return collections
}

type VersionRecord = KeyedRecord<'version', ContentFrom<typeof versionFields>>

function versionFields({ strictObject, string, array, count, moment }: RecordFields) {
  const version = strictObject({
    collection: string(),
    artifact: string(),
    index: count,
    createdAt: moment,
    aliases: array(string()),
  })
  /** Null if the artifact is no longer in the collection. */
  return { version: version.nullable() }
}

/** The versions: artifacts in their sources, and in the collections that they are linked to. */
export const savedVersions: SavedPart<VersionRecord, Version | undefined, PlatformWorld> = {
  kind: 'version',
  fields: versionFields,
  *all({ engine }) {
    for (const { memberships } of engine.clientPlatform.artifacts.all) {
      for (const version of memberships) yield [version.id, version]
    }
  },
  content(version) {
    if (!version) return { version: null }
    const { collection, artifact, index, createdAt, aliases } = version
    const ids = { collection: collection.id, artifact: artifact.id }
    return { version: { ...ids, index, createdAt, aliases: [...aliases] } }
  },
  isGone: ({ version }) => version === null,
  ...PLATFORM_RECORDS,
}

function* restoredVersions(
  records: readonly VersionRecord[],
  on: { world: PlatformWorld; collections: ReadonlyMap<string, ArtifactCollection> },
): Generator<Version> {
  const { artifacts } = on.world.engine.clientPlatform
  for (const { key: id, version: saved } of records) {
    const { index, createdAt: at, aliases } = saved!
    const artifact = artifacts.get(saved!.artifact)
    const collection = on.collections.get(saved!.collection)!
    const version = new Membership({ id, artifact, collection, index, at })
    for (const alias of aliases) version.aliases.add(alias)
    yield version
  }
}

type OtherIdRecord = KeyedRecord<'artifact_id', { artifact: string }>

/** The ids of artifacts that were committed with a known content. Each means the artifact with that content. */
export const savedOtherIds: SavedPart<OtherIdRecord, Artifact, PlatformWorld> = {
  kind: 'artifact_id',
  fields: ({ string }) => ({ artifact: string() }),
  all: ({ engine }) => engine.clientPlatform.artifacts.records.index.otherIds,
  content: ({ id }) => ({ artifact: id }),
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const { key, artifact } of records) {
      artifacts.records.index.addOtherId(key, artifacts.get(artifact))
    }
  },
  ...PLATFORM_RECORDS,
}

/** Null if it was forgotten. */
type ClientIdRecord = KeyedRecord<'client_id', { artifact: string | null }>

/** The ids that clients gave to artifacts. A repeated upload has the same one. */
export const savedClientIds: SavedPart<ClientIdRecord, Artifact | undefined, PlatformWorld> = {
  kind: 'client_id',
  fields: ({ string }) => ({ artifact: string().nullable() }),
  all: ({ engine }) => engine.clientPlatform.artifacts.records.index.clientIds,
  content: (artifact) => ({ artifact: artifact?.id ?? null }),
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const { key, artifact } of records) {
      artifacts.records.index.rememberClientId(key, artifacts.get(artifact!))
    }
  },
  isGone: ({ artifact }) => artifact === null,
  ...PLATFORM_RECORDS,
}

/** By the ids of the artifact and of the run. A run that is deleted used nothing. */
type UseRecord = KeyedRecord<
  'artifact_use',
  { artifact: string; run: string; logs?: boolean | undefined }
>

/** The runs that used artifacts, and those that logged them once more. */
export const savedUses: SavedPart<UseRecord, ArtifactUse, PlatformWorld> = {
  kind: 'artifact_use',
  fields: ({ string, boolean }) => ({
    artifact: string(),
    run: string(),
    logs: boolean().optional(),
  }),
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const run of artifact.usedBy) yield [`${artifact.id} ${run.id}`, { artifact, run }]
      for (const run of artifact.loggedAgainBy) {
        yield [`${artifact.id} ${run.id} logs`, { artifact, run, logs: true }]
      }
    }
  },
  content: ({ artifact, run, logs }) => ({ artifact: artifact.id, run: run.id, logs }),
  restore(records, { engine: { clientPlatform: platform } }) {
    for (const { artifact, run: id, logs } of records) {
      const run = platform.runs.withId(id)
      if (run && logs) platform.artifacts.get(artifact).addLogger(run)
      else if (run) platform.artifacts.get(artifact).addUser(run)
    }
  },
  ...PLATFORM_RECORDS,
}

import {
  Artifact,
  ARTIFACT,
  Version,
  VERSION,
  type ArtifactCollection,
} from '../../platform/artifact.js'
import { Collection, COLLECTION } from '../../platform/collection.js'
import { restoredRecord, savedRecord, type SavedOf } from '../../platform/record.js'
import { useKey, type ArtifactUse } from '../../platform/savable.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import { schemasOf } from './record-schemas.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

type CollectionRecord = KeyedRecord<'collection', SavedOf<typeof COLLECTION>>

/** The collections of artifacts. */
export const savedCollections: SavedPart<CollectionRecord, ArtifactCollection, PlatformWorld> = {
  kind: 'collection',
  fields: (fields) => schemasOf(COLLECTION, fields),
  *all({ engine }) {
    for (const each of engine.clientPlatform.artifacts.allCollections) yield [each.id, each]
  },
  content: (collection) => savedRecord(COLLECTION, collection),
  ...PLATFORM_RECORDS,
}

/** Null if its id means another one now, or nothing any more. */
type ArtifactRecord = KeyedRecord<'artifact', { artifact: SavedOf<typeof ARTIFACT> | null }>

/** The artifacts, deleted ones included: clients still have their ids. */
export const savedArtifacts: SavedPart<ArtifactRecord, Artifact | undefined, PlatformWorld> = {
  kind: 'artifact',
  fields: (fields) => ({
    artifact: fields.strictObject(schemasOf(ARTIFACT, fields)).nullable(),
  }),
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) yield [artifact.id, artifact]
  },
  content: (artifact) => ({ artifact: artifact ? savedRecord(ARTIFACT, artifact) : null }),
  restore(records, world, { recordsOf }) {
    const collections = restoreCollections(recordsOf(savedCollections), world)
    const { runs, artifacts } = world.engine.clientPlatform
    for (const { key: id, artifact: saved } of records) {
      const source = collections.get(saved!.source)!
      const loggedBy = saved!.run === undefined ? undefined : runs.withId(saved!.run)
      const made = restoredRecord(ARTIFACT, saved!, { source, loggedBy })
      artifacts.add(new Artifact(id, made))
    }
    const versions = recordsOf(savedVersions).map(({ key: id, version: saved }) => {
      const collection = collections.get(saved!.collection)!
      const artifact = artifacts.get(saved!.artifact)
      return new Version(id, restoredRecord(VERSION, saved!, { collection, artifact }))
    })
    artifacts.records.restoreVersions(versions)
  },
  isGone: ({ artifact }) => artifact === null,
  ...PLATFORM_RECORDS,
}

function restoreCollections(
  records: readonly CollectionRecord[],
  { engine: { clientPlatform: platform } }: PlatformWorld,
): ReadonlyMap<string, ArtifactCollection> {
  const projects = platform.projects.byId
  const collections = new Map<string, ArtifactCollection>()
  for (const saved of records) {
    const project = projects.get(saved.project)!
    const made = restoredRecord(COLLECTION, saved, { project })
    const collection = new Collection<Version>(saved.key, made)
    platform.artifacts.records.restoreCollection(collection)
    collections.set(collection.id, collection)
  }
  return collections
}

/** Null if the artifact is no longer in the collection. */
type VersionRecord = KeyedRecord<'version', { version: SavedOf<typeof VERSION> | null }>

/** The versions: artifacts in their sources, and in the collections that they are linked to. */
export const savedVersions: SavedPart<VersionRecord, Version | undefined, PlatformWorld> = {
  kind: 'version',
  fields: (fields) => ({
    version: fields.strictObject(schemasOf(VERSION, fields)).nullable(),
  }),
  *all({ engine }) {
    for (const { memberships } of engine.clientPlatform.artifacts.all) {
      for (const version of memberships) yield [version.id, version]
    }
  },
  content: (version) => ({ version: version ? savedRecord(VERSION, version) : null }),
  isGone: ({ version }) => version === null,
  ...PLATFORM_RECORDS,
}

/** Null if it was forgotten. */
type OtherIdRecord = KeyedRecord<'artifact_id', { artifact: string | null }>

/** The ids of artifacts that were committed with a known content. Each means the artifact with that content. */
export const savedOtherIds: SavedPart<OtherIdRecord, Artifact | undefined, PlatformWorld> = {
  kind: 'artifact_id',
  fields: ({ string }) => ({ artifact: string().nullable() }),
  all: ({ engine }) => engine.clientPlatform.artifacts.otherIds,
  content: (artifact) => ({ artifact: artifact?.id ?? null }),
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const { key, artifact } of records) {
      artifacts.addOtherId(key, artifacts.get(artifact!))
    }
  },
  isGone: ({ artifact }) => artifact === null,
  ...PLATFORM_RECORDS,
}

/** Null if it was forgotten. */
type ClientIdRecord = KeyedRecord<'client_id', { artifact: string | null }>

/** The ids that clients gave to artifacts. A repeated upload has the same one. */
export const savedClientIds: SavedPart<ClientIdRecord, Artifact | undefined, PlatformWorld> = {
  kind: 'client_id',
  fields: ({ string }) => ({ artifact: string().nullable() }),
  all: ({ engine }) => engine.clientPlatform.artifacts.clientIds,
  content: (artifact) => ({ artifact: artifact?.id ?? null }),
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const { key, artifact } of records) {
      artifacts.rememberClientId(key, artifacts.get(artifact!))
    }
  },
  isGone: ({ artifact }) => artifact === null,
  ...PLATFORM_RECORDS,
}

/** By the ids of the artifact and of the run. A run that is deleted used nothing; an artifact may be forgotten. */
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
      const used = Array.from(artifact.usedBy, (run) => ({ artifact, run }))
      const logged = Array.from(artifact.loggedAgainBy, (run) => ({ artifact, run, logs: true }))
      for (const use of [...used, ...logged]) yield [useKey(use), use]
    }
  },
  content: ({ artifact, run, logs }) => ({ artifact: artifact.id, run: run.id, logs }),
  restore(records, { engine: { clientPlatform: platform } }) {
    for (const { artifact, run: id, logs } of records) {
      const run = platform.runs.withId(id)
      const used = platform.artifacts.withId(artifact)
      if (run && logs) used?.addLogger(run)
      else if (run) used?.addUser(run)
    }
  },
  ...PLATFORM_RECORDS,
}

import type { ManifestRecord } from '../../platform/artifact.js'
import type { ArtifactUpload, ManifestUpload } from '../../platform/savable.js'
import { savedRecord, type SavedOf } from '../../platform/record.js'
import { UPLOAD } from '../../platform/stored-file.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import { schemasOf } from './record-schemas.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** A file on its way, with the id of its artifact. When that is committed or deleted, its uploads are over. */
type SavedUpload = SavedOf<typeof UPLOAD> & { artifact: string }

type UploadRecord = KeyedRecord<'upload', SavedUpload>

/** The files of artifacts that are not committed. */
export const savedUploads: SavedPart<UploadRecord, ArtifactUpload, PlatformWorld> = {
  kind: 'upload',
  fields: (fields) => ({ artifact: fields.string(), ...schemasOf(UPLOAD, fields) }),
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const file of artifact.uploads.values()) yield [file.id, { artifact, file }]
    }
  },
  content: ({ artifact, file }) => ({ artifact: artifact.id, ...savedRecord(UPLOAD, file) }),
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const { key: id, artifact: artifactId, ...file } of records) {
      const artifact = artifacts.withId(artifactId)
      if (artifact?.state !== 'PENDING') continue
      artifacts.records.uploads.restoreFile(artifact, { ...file, id })
    }
  },
  ...PLATFORM_RECORDS,
}

export interface SavedManifest extends SavedUpload {
  type: ManifestRecord['type']
  base?: string | undefined
}

type ManifestUploadRecord = KeyedRecord<'manifest', SavedManifest>

/** The manifests of artifacts that are not committed. */
export const savedManifests: SavedPart<ManifestUploadRecord, ManifestUpload, PlatformWorld> = {
  kind: 'manifest',
  fields: (fields) => ({
    artifact: fields.string(),
    ...schemasOf(UPLOAD, fields),
    type: fields.choice(['FULL', 'INCREMENTAL', 'PATCH']),
    base: fields.string().optional(),
  }),
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const manifest of artifact.manifests) yield [manifest.id, { artifact, manifest }]
    }
  },
  content({ artifact, manifest: { type, base, file } }, _key, { engine }) {
    const known = base && engine.clientPlatform.artifacts.withId(base.id)
    return { artifact: artifact.id, ...savedRecord(UPLOAD, file), type, base: known?.id }
  },
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const { key: id, artifact: artifactId, base: baseId, ...manifest } of records) {
      const artifact = artifacts.withId(artifactId)
      if (artifact?.state !== 'PENDING') continue
      const base = baseId === undefined ? undefined : artifacts.withId(baseId)
      artifacts.records.uploads.restoreManifest(artifact, { ...manifest, id, base })
    }
  },
  ...PLATFORM_RECORDS,
}

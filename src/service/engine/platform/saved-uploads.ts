import type { ManifestRecord } from '../../platform/artifact.js'
import type { ArtifactUpload, ManifestUpload } from '../../platform/savable.js'
import type { StoredFile } from '../../platform/stored-file.js'
import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import type { AllFields } from '../saved/complete.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** A file on its way. */
type SavedUpload = ContentFrom<typeof uploadFields>

const uploadFields = ({ string, moment }: RecordFields) => ({
  /** The id of its artifact. When that is committed or deleted, its uploads are over. */
  artifact: string(),
  path: string().min(1),
  /** The MD5 that its content must have, in base64. */
  expected: string().optional(),
  /** The MD5 of its content in base64. */
  digest: string().optional(),
  updatedAt: moment,
})

function savedUpload(artifact: string, file: StoredFile): AllFields<SavedUpload> {
  const { path, expected, digest, updatedAt } = file
  return { artifact, path, expected, digest, updatedAt }
}

type UploadRecord = KeyedRecord<'upload', SavedUpload>

/** The files of artifacts that are not committed. */
export const savedUploads: SavedPart<UploadRecord, ArtifactUpload, PlatformWorld> = {
  kind: 'upload',
  fields: uploadFields,
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const file of artifact.uploads.values()) yield [file.id, { artifact, file }]
    }
  },
  content: ({ artifact, file }) => savedUpload(artifact.id, file),
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const {
      key: id,
      artifact: artifactId,
      updatedAt: at,
      path,
      expected,
      digest,
    } of records) {
      const artifact = artifacts.get(artifactId)
      if (artifact.state !== 'PENDING') continue
      artifacts.records.uploads.restoreFile(artifact, { id, path, expected, digest, at })
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
    ...uploadFields(fields),
    type: fields.choice(['FULL', 'INCREMENTAL', 'PATCH']),
    base: fields.string().optional(),
  }),
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const manifest of artifact.manifests) yield [manifest.id, { artifact, manifest }]
    }
  },
  content({ artifact, manifest: { type, base, file } }) {
    return { ...savedUpload(artifact.id, file), type, base: base?.id }
  },
  restore(records, { engine: { clientPlatform: platform } }) {
    const { artifacts } = platform
    for (const saved of records) {
      const { key: id, artifact: artifactId, updatedAt: at, path, expected, digest, type } = saved
      const artifact = artifacts.get(artifactId)
      if (artifact.state !== 'PENDING') continue
      const base = saved.base === undefined ? undefined : artifacts.get(saved.base)
      const facts = { id, path, expected, digest, at, type, base }
      artifacts.records.uploads.restoreManifest(artifact, facts)
    }
  },
  ...PLATFORM_RECORDS,
}

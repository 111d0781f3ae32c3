import type { ManifestRecord } from '../../platform/artifact.js'
import type { ArtifactUpload, ManifestUpload } from '../../platform/savable.js'
import type { StoredFile } from '../../platform/stored-file.js'
import type { FieldsOf, RecordFields } from '../saved/record-fields.js'
import type { SavedPart } from '../saved/saved-part.js'
import type { AllFields } from '../saved/complete.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** A file on its way. */
interface SavedUpload {
  /** The id of its artifact. When that is committed or deleted, its uploads are over. */
  artifact: string
  path: string
  /** The MD5 that its content must have, in base64. */
  expected?: string | undefined
  /** The MD5 of its content in base64. */
  digest?: string | undefined
  updatedAt: number
}

const uploadFields = ({ string, moment }: RecordFields) => {
  return {
    artifact: string(),
    path: string().min(1),
    expected: string().optional(),
    digest: string().optional(),
    updatedAt: moment,
  } satisfies FieldsOf<SavedUpload>
}

function savedUpload(artifact: string, file: StoredFile): AllFields<SavedUpload> {
  const { path, expected, digest, updatedAt } = file
  return { artifact, path, expected, digest, updatedAt }
}

export interface UploadRecord extends SavedUpload {
  kind: 'upload'
  key: string
}

/** The files of artifacts that are not committed. */
export const savedUploads: SavedPart<UploadRecord, ArtifactUpload, PlatformWorld> = {
  kind: 'upload',
  schema(fields) {
    const { strictObject, literal, string } = fields
    return strictObject({
      kind: literal('upload'),
      key: string().min(1),
      ...uploadFields(fields),
    } satisfies FieldsOf<UploadRecord>)
  },
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const file of artifact.uploads.values()) yield [file.id, { artifact, file }]
    }
  },
  records({ artifact, file }, key) {
    return [{ kind: 'upload', key, ...savedUpload(artifact.id, file) }]
  },
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

export interface ManifestUploadRecord extends SavedUpload {
  kind: 'manifest'
  key: string
  type: ManifestRecord['type']
  base?: string | undefined
}

/** The manifests of artifacts that are not committed. */
export const savedManifests: SavedPart<ManifestUploadRecord, ManifestUpload, PlatformWorld> = {
  kind: 'manifest',
  schema(fields) {
    const { strictObject, literal, string, choice } = fields
    return strictObject({
      kind: literal('manifest'),
      key: string().min(1),
      ...uploadFields(fields),
      type: choice(['FULL', 'INCREMENTAL', 'PATCH']),
      base: string().optional(),
    } satisfies FieldsOf<ManifestUploadRecord>)
  },
  *all({ engine }) {
    for (const artifact of engine.clientPlatform.artifacts.all) {
      for (const manifest of artifact.manifests) yield [manifest.id, { artifact, manifest }]
    }
  },
  records({ artifact, manifest: { type, base, file } }, key) {
    const saved = { ...savedUpload(artifact.id, file), type, base: base?.id }
    return [{ kind: 'manifest', key, ...saved }]
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

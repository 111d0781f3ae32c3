import { MANIFEST_PATH, STORAGE_POLICY } from '../../base/text/vendor/platform-names.js'
import type { Artifact, ArtifactFacts } from './artifact.js'
import type { ArtifactPlace } from './artifact-creation.js'
import type { Blobs } from './blobs.js'
import { checkLimit } from './limits.js'
import type { ManifestEntries } from './manifest.js'
import { checkPath } from './names.js'
import type { Author } from './platform-change.js'
import type { Platform } from './platform.js'

/** What an artifact is to have. */
export interface ArtifactToPut extends Omit<
  ArtifactFacts,
  'digest' | 'clientId' | 'distributedId'
> {
  /** The contents of its files, by path. */
  readonly files: Readonly<Record<string, Uint8Array>>
}

/**
 * Creates a version of an artifact with files, as a client does that uploads them. If the newest version has the same
 * files, it is returned.
 *
 * @throws {PlatformError} When a name or a path is not allowed, or there is no room. Then there is no such version.
 */
export function putArtifact(
  platform: Platform,
  place: ArtifactPlace,
  { files, ...facts }: ArtifactToPut,
  author: Author,
): Artifact {
  const { artifacts, blobs, limits } = platform
  const entries = new Map(
    Object.entries(files).map(([path, bytes]) => {
      return [checkPath(path), { digest: blobs.digestOf(bytes), size: bytes.length }]
    }),
  )
  checkLimit(limits, 'artifactFiles', entries.size)
  checkRoom(blobs, place, entries)
  const digest = artifacts.contents.digestOf(entries)
  const artifact = artifacts.create(place, { ...facts, digest }, author)
  if (artifact.state !== 'PENDING') return artifact
  try {
    uploadTo(artifact, platform, { files, entries })
    return artifacts.commit(artifact, author)
  } catch (error) {
    artifacts.delete(artifact, {}, author)
    throw error
  }
}

/** Refuses files that there is no room for. Contents that are there already, or that two files have, count once. */
function checkRoom(blobs: Blobs, { entity }: ArtifactPlace, entries: ManifestEntries): void {
  const sizes = new Map(Array.from(entries.values(), ({ digest, size }) => [digest, size]))
  const added = [...sizes].filter(([digest]) => !blobs.isThere(entity, digest))
  blobs.checkRoom(added.reduce((sum, [, size]) => sum + size, 0))
}

function uploadTo(
  artifact: Artifact,
  platform: Platform,
  { files, entries }: Pick<ArtifactToPut, 'files'> & { entries: ManifestEntries },
): void {
  const { artifacts, blobs } = platform
  const wanted = Array.from(entries, ([path, { digest }]) => ({ artifact, path, digest }))
  for (const file of artifacts.addFiles(wanted)) {
    if (file.digest === undefined) platform.upload(file.id, files[file.path]!)
  }
  const contents = Array.from(entries, ([path, entry]) => {
    return [path, { ...entry, birthArtifactID: artifact.id }]
  })
  const manifest = new TextEncoder().encode(
    JSON.stringify({ version: 1, ...STORAGE_POLICY, contents: Object.fromEntries(contents) }),
  )
  const digest = blobs.digestOf(manifest)
  const { file } = artifacts.addManifest(artifact, { digest, path: MANIFEST_PATH })
  platform.upload(file.id, manifest)
}

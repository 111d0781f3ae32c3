import { MANIFEST_PATH, STORAGE_POLICY } from '../../base/text/vendor/platform-names.js'
import type { Artifact, ArtifactFacts } from './artifact.js'
import type { ArtifactPlace } from './artifact-creation.js'
import { checkLimit } from './limits.js'
import type { ManifestEntry } from './manifest.js'
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
 * @throws {PlatformError} When a name or a path is not allowed, or there is no room. Then nothing is created.
 */
export function putArtifact(
  platform: Platform,
  place: ArtifactPlace,
  { files, ...facts }: ArtifactToPut,
  author: Author,
): Artifact {
  const { artifacts, blobs, limits } = platform
  const contents = Object.entries(files).map(([path, bytes]): [string, ManifestEntry] => {
    return [checkPath(path), { digest: blobs.digestOf(bytes), size: bytes.length }]
  })
  checkLimit(limits, 'artifactFiles', contents.length)
  const added = contents.filter(([, { digest }]) => !blobs.isThere(place.entity, digest))
  blobs.checkRoom(added.reduce((sum, [, { size }]) => sum + size, 0))
  const digest = artifacts.contents.digestOf(new Map(contents))
  const artifact = artifacts.create(place, { ...facts, digest }, author)
  if (artifact.state !== 'PENDING') return artifact
  const opened = artifacts.addFiles(
    contents.map(([path, entry]) => ({ artifact, path, digest: entry.digest })),
  )
  for (const file of opened) {
    if (file.digest === undefined) platform.upload(file.id, files[file.path]!)
  }
  const entries = contents.map(([path, entry]) => [
    path,
    { ...entry, birthArtifactID: artifact.id },
  ])
  const manifest = new TextEncoder().encode(
    JSON.stringify({ version: 1, ...STORAGE_POLICY, contents: Object.fromEntries(entries) }),
  )
  const { file } = artifacts.addManifest(artifact, {
    digest: blobs.digestOf(manifest),
    path: MANIFEST_PATH,
  })
  platform.upload(file.id, manifest)
  return artifacts.commit(artifact, author)
}

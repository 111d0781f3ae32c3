import { MANIFEST_PATH, STORAGE_POLICY } from '../../base/text/vendor/platform-names.js'
import type { Artifact, ArtifactFacts } from './artifact.js'
import type { ArtifactPlace } from './artifact-creation.js'
import type { ManifestEntry } from './manifest.js'
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
 * @throws {PlatformError} When a name or a path is not allowed, or there is no room.
 */
export function putArtifact(
  platform: Platform,
  place: ArtifactPlace,
  { files, ...facts }: ArtifactToPut,
  author: Author,
): Artifact {
  const { artifacts, blobs } = platform
  const contents = Object.entries(files).map(([path, bytes]): [string, ManifestEntry] => {
    return [path, { digest: blobs.digestOf(bytes), size: bytes.length }]
  })
  const digest = artifacts.digestOf(new Map(contents))
  const artifact = artifacts.create(place, { ...facts, digest }, author)
  if (artifact.state !== 'PENDING') return artifact
  const added = artifacts.addFiles(
    contents.map(([path, entry]) => ({ artifact, path, digest: entry.digest })),
  )
  for (const file of added) {
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

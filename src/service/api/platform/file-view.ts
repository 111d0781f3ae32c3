import { ARTIFACT_STORE } from '../../../base/text/vendor/platform-names.js'
import type { Artifact } from '../../platform/artifact.js'
import { hexOf } from '../../platform/digest.js'
import type { ManifestEntry } from '../../platform/manifest.js'
import type { StoredFile } from '../../platform/stored-file.js'
import { formatMoment, type PlatformCall, type View } from './call.js'
import { nodesOf, type FileArguments } from './connection.js'

/** A page of the files of an artifact. */
export function filePage(
  artifact: Artifact,
  { names, ...page }: FileArguments,
  call: PlatformCall,
): View {
  const contents = call.platform.artifacts.contents.of(artifact)
  const wanted = names && names.length > 0 ? new Set(names) : undefined
  const files = [...contents].filter(([path]) => wanted?.has(path) ?? true)
  const { updatedAt } = artifact
  return nodesOf(files, page, ([path, entry]) =>
    entryView(path, entry, { artifact, updatedAt, call }),
  )
}

/** A file of a committed artifact, or a reference. */
export function entryView(
  path: string,
  { digest, size, ref }: ManifestEntry,
  { artifact, updatedAt, call }: { artifact: Artifact; updatedAt: number; call: PlatformCall },
): View {
  // A reference has a digest of its store, which a client asks for the content.
  const key = ref === undefined ? hexOf(digest) : path
  const address = (): string => ref ?? call.addressOf('artifacts', artifact.id, key, lastPart(path))
  return {
    __typename: 'File',
    id: `${artifact.id}-${key}`,
    name: path,
    displayName: path,
    url: address,
    directUrl: address,
    uploadUrl: null,
    uploadHeaders: [],
    uploadMultipartUrls: null,
    storagePath: ref === undefined ? [ARTIFACT_STORE, artifact.id, key].join('/') : null,
    sizeBytes: size,
    mimetype: null,
    updatedAt: formatMoment(updatedAt),
    digest,
    md5: digest,
    artifact: () => call.views.artifact(artifact),
  }
}

/** A file of a run, or of an artifact that is not committed. */
export function fileView(file: StoredFile, { addressOf }: PlatformCall): View {
  const { id, path, digest, hexDigest, size, updatedAt } = file
  const address = (): string | null => {
    return digest === undefined ? null : addressOf('files', id, lastPart(path))
  }
  const upload = (): string => addressOf('uploads', id)
  return {
    __typename: 'File',
    id,
    name: path,
    displayName: path,
    url: (wanted: { upload?: boolean | null }) => (wanted.upload ? upload() : address()),
    directUrl: address,
    // The content is there already.
    uploadUrl: file.expected !== undefined && digest === file.expected ? null : upload,
    uploadHeaders: [],
    uploadMultipartUrls: null,
    storagePath: `${id}/${hexDigest ?? ''}`,
    sizeBytes: size,
    mimetype: null,
    updatedAt: formatMoment(updatedAt),
    digest: digest ?? null,
    md5: digest ?? null,
    artifact: null,
  }
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

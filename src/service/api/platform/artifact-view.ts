import { ARTIFACT_STORE, MANIFEST_PATH } from '../../../base/text/vendor/platform-names.js'
import type { Artifact } from '../../platform/artifact.js'
import { hexOf } from '../../platform/digest.js'
import type { ManifestEntry } from '../../platform/manifest.js'
import type { StoredFile } from '../../platform/stored-file.js'
import { formatMoment, type PlatformCall, type View } from './call.js'
import { tagView } from './collection-view.js'
import { MOST_PER_PAGE, nodesOf, type FileArguments, type PageArguments } from './connection.js'

/** One version of an artifact, or what will be one. */
export function artifactView(artifact: Artifact, call: PlatformCall): View {
  const { views } = call
  const { version, run, user, usedBy } = artifact
  const seen = () => artifact.memberships.filter(({ collection }) => call.sees(collection.entity))
  return {
    __typename: 'Artifact',
    ...artifactFacts(artifact),
    artifactSequence: () => views.collection(artifact.source),
    artifactType: () => views.artifactType(artifact.source.project, artifact.source.type),
    aliases: () =>
      seen().flatMap((each) => [...each.aliases].map((alias) => views.alias(alias, each))),
    createdBy: () => (run ? views.run(run) : views.user(user)),
    // Clients take them all at once, without a size.
    usedBy: () => nodesOf([...usedBy], { first: MOST_PER_PAGE }, views.run),
    currentManifest: () => manifestView(artifact, call),
    files: (wanted: FileArguments) => views.artifactFiles(artifact, wanted),
    filesByManifestEntries: (wanted: PageArguments & { entries?: readonly { name: string }[] }) =>
      views.artifactFiles(artifact, {
        ...wanted,
        names: wanted.entries?.map(({ name }) => name) ?? null,
      }),
    artifactMemberships: (page: PageArguments) => nodesOf(seen(), page, views.version),
    versionIndex: version?.index ?? null,
  }
}

/** The time to live of an artifact that has that of its collection. */
const INHERITED_TTL = -1

function artifactFacts(artifact: Artifact): View {
  const { id, description, metadata, ttlSeconds, tags, historyStep, state, digest } = artifact
  return {
    id,
    description: description === '' ? null : description,
    metadata,
    ttlDurationSeconds: ttlSeconds ?? INHERITED_TTL,
    ttlIsInherited: (ttlSeconds ?? INHERITED_TTL) === INHERITED_TTL,
    tags: () => [...tags].map(tagView),
    historyStep: historyStep ?? null,
    state,
    size: artifact.size,
    digest,
    digestAlgorithm: 'MANIFEST_MD5',
    // Two versions may have the same content, so the id tells them apart.
    commitHash: id,
    fileCount: artifact.fileCount,
    createdAt: formatMoment(artifact.createdAt),
    updatedAt: formatMoment(artifact.updatedAt),
  }
}

function manifestView(artifact: Artifact, call: PlatformCall): View | null {
  const { manifestDigest: digest, id, updatedAt } = artifact
  if (digest === undefined) return null
  const size = call.platform.blobs.sizeOf(artifact.entity, digest) ?? 0
  const entry = { digest, size }
  return {
    __typename: 'ArtifactManifest',
    id: `${id}-manifest`,
    digest,
    type: 'FULL',
    file: () => entryView(MANIFEST_PATH, entry, { artifact, updatedAt, call }),
  }
}

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
function entryView(
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

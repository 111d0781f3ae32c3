import { MANIFEST_PATH } from '../../../base/text/vendor/platform-names.js'
import type { Artifact } from '../../platform/artifact.js'
import { formatMoment, type PlatformCall, type View } from './call.js'
import { tagView } from './collection-view.js'
import { MOST_PER_PAGE, nodesOf, type FileArguments, type PageArguments } from './connection.js'
import { entryView } from './file-view.js'

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

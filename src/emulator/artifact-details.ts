import { toIso } from '../base/text/iso.js'
import { ARTIFACT_SCHEME } from '../base/text/vendor/platform-names.js'
import type { Engine } from '../service/engine/engine.js'
import type { ArtifactCollection, Version } from '../service/platform/artifact.js'
import { rowOf } from '../service/platform/run-row.js'
import type { StoredContent } from './runs.js'

/** A version of an artifact in a list. */
export interface ListedArtifact {
  /** `entity/project/name:v0`, as clients name it. */
  path: string
  /** The team or the user that owns it. */
  entity: string
  /** Its project. */
  project: string
  /** The name of its collection. */
  name: string
  /** Such as `v0`. */
  version: string
  /** Such as `dataset`, `model` or `lora`. */
  type: string
  /** Its aliases, such as `latest`. */
  aliases: string[]
  /** Its tags. */
  tags: string[]
  /** The size of all of its files, in bytes. */
  size: number
  /** How many files it has. */
  file_count: number
  /** When it was created, as an ISO 8601 time. */
  created_at: string
  /** The id of the job that made it, if it is a checkpoint. Null: a client logged it, or no job made it. */
  job: string | null
  /** The run that logged it: `entity/project/name`. Null if no run did. */
  run: string | null
}

/** A version of an artifact with its files. */
export interface ArtifactDetails extends ListedArtifact {
  /** What `training_data_url` takes, and the name of an adapter in chats. */
  url: string
  /** The user that created it. */
  user: string
  /** What it is. Empty if nobody said it. */
  description: string
  /** The digest of all of its files, in hexadecimal digits. */
  digest: string
  /** What its program said about it. */
  metadata: Record<string, unknown>
  /** Its files. */
  files: StoredContent[]
  /** The runs that used it. */
  used_by: string[]
  /** Its names in the collections that it is linked to. */
  links: string[]
}

/** The name of artifacts, with its versions. */
export interface ArtifactCollectionDetails {
  /** `entity/project/name`. */
  path: string
  /** The team or the user that owns it. */
  entity: string
  /** Its project. */
  project: string
  /** Its name. */
  name: string
  /** The type of its artifacts. */
  type: string
  /** Whether its versions are links to artifacts of other collections, as in a registry. */
  linked: boolean
  /** The names of its versions, the newest first. */
  versions: string[]
  /** The version of each alias. */
  aliases: Record<string, string>
  /** Its tags. */
  tags: string[]
  /** What it is. Empty if nobody said it. */
  description: string
  /** When it was created, as an ISO 8601 time. */
  created_at: string
}

export function listedArtifact(engine: Engine, version: Version): ListedArtifact {
  const { artifact, collection } = version
  return {
    path: version.path,
    entity: collection.entity,
    project: collection.project.name,
    name: collection.name,
    version: `v${version.index}`,
    type: collection.type,
    aliases: [...version.aliases],
    tags: [...artifact.tags],
    size: artifact.size,
    file_count: artifact.fileCount,
    created_at: toIso(artifact.createdAt),
    job: engine.checkpointArtifacts.jobOf(artifact)?.id ?? null,
    run: artifact.run?.path ?? null,
  }
}

export function artifactDetails(engine: Engine, version: Version): ArtifactDetails {
  const { artifact } = version
  const contents = engine.platformWithCheckpoints().artifacts.contents.of(artifact)
  return {
    ...listedArtifact(engine, version),
    url: `${ARTIFACT_SCHEME}:///${version.path}`,
    user: artifact.user,
    description: artifact.description,
    digest: artifact.digest,
    metadata: rowOf(artifact.metadata) ?? {},
    files: [...contents].map(([path, { size, digest }]) => ({ path, size, digest })),
    used_by: [...artifact.usedBy].map(({ path }) => path),
    links: artifact.memberships.filter((each) => each !== version).map(({ path }) => path),
  }
}

/** What code and the control API show of a collection. */
export function collectionDetails(collection: ArtifactCollection): ArtifactCollectionDetails {
  const { entity, project, name, type, kind, members, aliases, tags, description } = collection
  return {
    path: collection.path,
    entity,
    project: project.name,
    name,
    type,
    linked: kind === 'linked',
    versions: [...members].map(({ index }) => `v${index}`).reverse(),
    aliases: Object.fromEntries([...aliases].map(([alias, { index }]) => [alias, `v${index}`])),
    tags: [...tags],
    description,
    created_at: toIso(collection.createdAt),
  }
}

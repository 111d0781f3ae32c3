import type { Collection } from './collection.js'
import * as field from './field.js'
import { recordClass } from './record.js'
import type { Run } from './run.js'
import type { FileOwner, StoredFile } from './stored-file.js'

/** The states of an artifact. Only a committed one is a version. */
export type ArtifactState = 'PENDING' | 'COMMITTED' | 'DELETED'

/** What a client says about an artifact when it creates it. */
export interface ArtifactFacts {
  /** The id that it is to have. Default: a new one. */
  readonly id?: string | undefined
  /** The digest of all of its files, in hexadecimal digits. */
  readonly digest: string
  readonly description?: string | undefined
  /** A JSON object as text. */
  readonly metadata?: string | undefined
  readonly aliases?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  /** The id that the client gave it, by which a program may name it before it exists. */
  readonly clientId?: string | undefined
  /** Which of several parallel uploads it belongs to. */
  readonly distributedId?: string | undefined
  readonly ttlSeconds?: number | undefined
  /** The step of the run that logged it. */
  readonly historyStep?: number | undefined
  /** The id of the checkpoint that it is. Undefined: a client logged it. */
  readonly checkpoint?: string | undefined
  /** When it was made, in milliseconds since the epoch. Default: now. */
  readonly createdAt?: number | undefined
}

/** A collection of artifacts. */
export type ArtifactCollection = Collection<Version>

/** A manifest on its way: the list of files that a client uploads. */
export interface ManifestRecord {
  readonly id: string
  /** `INCREMENTAL` adds files to those of another artifact. */
  readonly type: 'FULL' | 'INCREMENTAL' | 'PATCH'
  base: Artifact | undefined
  readonly file: StoredFile
}

/** What is saved of an artifact. */
export const ARTIFACT = {
  /** The collection that it is committed to. */
  source: field.link<ArtifactCollection>(),
  digest: field.name,
  description: field.withDefault(field.text, ''),
  metadata: field.withDefault(field.jsonObject, '{}'),
  state: field.withDefault(
    field.choice<ArtifactState>('PENDING', 'COMMITTED', 'DELETED'),
    'PENDING',
  ),
  clientId: field.fixed(field.optional(field.text)),
  distributedId: field.fixed(field.optional(field.text)),
  ttlSeconds: field.optional(field.number),
  historyStep: field.fixed(field.optional(field.number)),
  /** The id of the checkpoint that it is. */
  checkpoint: field.fixed(field.optional(field.text)),
  /** The user that created it. */
  user: field.fixed(field.text),
  /** The run that logged it, also if it is deleted. */
  loggedBy: field.savedAs(
    'run',
    field.linkIfThere<Run>(({ isDeleted }) => !isDeleted),
  ),
  createdAt: field.fixed(field.moment),
  updatedAt: field.moment,
  tags: field.fixed(field.texts),
  /** What it gets when it is committed. */
  plannedAliases: field.fixed(field.texts),
  /** The MD5 of its committed manifest, in base64. */
  manifestDigest: field.savedAs('manifest', field.optional(field.text)),
  /** The size of all of its files, in bytes. */
  size: field.withDefault(field.amount, 0),
  fileCount: field.withDefault(field.count, 0),
}

/** One version of an artifact, or what will be one when it is committed. */
export class Artifact extends recordClass(ARTIFACT) implements FileOwner {
  readonly #users = new Set<Run>()
  readonly #loggers = new Set<Run>()
  /** Its versions: in its source, and in each collection that it is linked to. Empty before it is committed. */
  readonly memberships: Version[] = []
  /** Until it is committed: its files by path. */
  readonly uploads = new Map<string, StoredFile>()
  /** The newest one counts. */
  readonly manifests: ManifestRecord[] = []

  get entity(): string {
    return this.source.entity
  }

  /** The run that logged it. Undefined: no run did, or it is deleted. */
  get run(): Run | undefined {
    return this.loggedBy?.isDeleted ? undefined : this.loggedBy
  }

  /** The runs that used it, without deleted ones. */
  get usedBy(): ReadonlySet<Run> {
    for (const run of this.#users) if (run.isDeleted) this.#users.delete(run)
    return this.#users
  }

  /** Notes that a run used it. */
  addUser(run: Run): void {
    this.#users.add(run)
  }

  /** The runs that logged the same content after `run`, without deleted ones. */
  get loggedAgainBy(): ReadonlySet<Run> {
    for (const run of this.#loggers) if (run.isDeleted) this.#loggers.delete(run)
    return this.#loggers
  }

  /** Notes that another run logged it, too. */
  addLogger(run: Run): void {
    this.#loggers.add(run)
  }

  /** Whether a run logged it, as the first one or later. */
  isLoggedBy(run: Run): boolean {
    return this.run === run || this.loggedAgainBy.has(run)
  }

  /** Its version in its source. Undefined unless it is committed. */
  get version(): Version | undefined {
    return this.memberships.find(({ collection }) => collection === this.source)
  }

  /** How many characters it holds. */
  get characters(): number {
    return this.description.length + this.metadata.length
  }

  get sealed(): string | undefined {
    if (this.state === 'PENDING') return undefined
    return this.state === 'COMMITTED' ? 'the artifact is committed' : 'the artifact is deleted'
  }
}

/** What is saved of a version. */
export const VERSION = {
  collection: field.link<ArtifactCollection>(),
  artifact: field.link<Artifact>(),
  /** 3 in `v3`. */
  index: field.fixed(field.count),
  createdAt: field.fixed(field.moment),
  /** In the order in which they were added. */
  aliases: field.fixed(field.texts),
}

/** An artifact as a version of a collection. A linked artifact is a version of several. */
export class Version extends recordClass(VERSION) {
  /** `team/project/name:v3`, as clients name it. */
  get path(): string {
    return `${this.collection.path}:v${this.index}`
  }
}

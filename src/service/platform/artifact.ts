import type { Collection, Membership } from './collection.js'
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
export type ArtifactCollection = Collection<Artifact>

/** An artifact as a version of a collection. */
export type Version = Membership<Artifact>

/** What an artifact is made of. */
export interface ArtifactMade {
  readonly id: string
  readonly source: Collection<Artifact>
  readonly facts: ArtifactFacts
  readonly user: string
  readonly run: Run | undefined
  readonly at: number
}

/** A manifest on its way: the list of files that a client uploads. */
export interface ManifestRecord {
  readonly id: string
  /** `INCREMENTAL` adds files to those of another artifact. */
  readonly type: 'FULL' | 'INCREMENTAL' | 'PATCH'
  readonly base: Artifact | undefined
  readonly file: StoredFile
}

/** One version of an artifact, or what will be one when it is committed. */
export class Artifact implements FileOwner {
  readonly id: string
  /** The collection that it is committed to. */
  readonly source: Collection<Artifact>
  digest: string
  description: string
  /** A JSON object as text. */
  metadata: string
  state: ArtifactState = 'PENDING'
  readonly clientId: string | undefined
  readonly distributedId: string | undefined
  readonly ttlSeconds: number | undefined
  readonly historyStep: number | undefined
  /** The user that created it. */
  readonly user: string
  readonly #run: Run | undefined
  /** The id of the checkpoint that it is. */
  readonly checkpoint: string | undefined
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly createdAt: number
  updatedAt: number
  readonly tags = new Set<string>()
  /** What it gets when it is committed. */
  readonly plannedAliases: Set<string>
  readonly #users = new Set<Run>()
  readonly #loggers = new Set<Run>()
  /** Its versions: in its source, and in each collection that it is linked to. Empty before it is committed. */
  readonly memberships: Version[] = []
  /** Until it is committed: its files by path. */
  readonly uploads = new Map<string, StoredFile>()
  /** The newest one counts. */
  readonly manifests: ManifestRecord[] = []
  /** The MD5 of its committed manifest, in base64. */
  manifestDigest: string | undefined
  /** The size of all of its files, in bytes. */
  size = 0
  fileCount = 0

  constructor({ id, source, facts, user, run, at }: ArtifactMade) {
    this.id = id
    this.source = source
    this.digest = facts.digest
    this.description = facts.description ?? ''
    this.metadata = facts.metadata ?? '{}'
    this.clientId = facts.clientId
    this.distributedId = facts.distributedId
    this.ttlSeconds = facts.ttlSeconds
    this.historyStep = facts.historyStep
    this.plannedAliases = new Set(facts.aliases)
    for (const tag of facts.tags ?? []) this.tags.add(tag)
    this.user = user
    this.#run = run
    this.checkpoint = facts.checkpoint
    this.createdAt = at
    this.updatedAt = at
  }

  get entity(): string {
    return this.source.entity
  }

  /** The run that logged it. Undefined: no run did, or it is deleted. */
  get run(): Run | undefined {
    return this.#run?.isDeleted ? undefined : this.#run
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

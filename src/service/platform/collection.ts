import { versionIndexIn } from './names.js'
import type { ProjectRecord } from './project-record.js'

/** The alias that moves to the newest version. */
export const LATEST = 'latest'

interface CollectionMade {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly project: ProjectRecord
  /** `source`: artifacts are committed to it. `linked`: artifacts of other collections are linked to it. */
  readonly kind: 'source' | 'linked'
  readonly at: number
}

/** The name of artifacts: its versions, and which of them each alias means. */
export class Collection<Artifact> {
  readonly id: string
  name: string
  /** The type of its artifacts, such as `dataset`. */
  type: string
  readonly project: ProjectRecord
  readonly kind: 'source' | 'linked'
  readonly createdAt: number
  updatedAt: number
  description = ''
  /** Whether it is deleted. Its artifacts still have it. */
  isDeleted = false
  readonly tags = new Set<string>()
  /** By index of the version, in the order of the versions. */
  readonly #members = new Map<number, Membership<Artifact>>()
  readonly #aliases = new Map<string, Membership<Artifact>>()
  #newest: Membership<Artifact> | undefined
  #next = 0

  constructor({ id, name, type, project, kind, at }: CollectionMade) {
    this.id = id
    this.name = name
    this.type = type
    this.project = project
    this.kind = kind
    this.createdAt = at
    this.updatedAt = at
  }

  get entity(): string {
    return this.project.entity
  }

  /** `team/project/name`, as clients name it. */
  get path(): string {
    return `${this.entity}/${this.project.name}/${this.name}`
  }

  /** The versions that exist, oldest first. */
  get members(): Iterable<Membership<Artifact>> {
    return this.#members.values()
  }

  /** How many versions exist. */
  get size(): number {
    return this.#members.size
  }

  /** The index that the next version will have. It is never used again. */
  get nextIndex(): number {
    return this.#next
  }

  /** The aliases, each with its version, in the order of the versions. */
  get aliases(): ReadonlyMap<string, Membership<Artifact>> {
    const aliases = new Map<string, Membership<Artifact>>()
    for (const member of this.members)
      for (const alias of member.aliases) aliases.set(alias, member)
    return aliases
  }

  /** The newest version that exists. */
  get newest(): Membership<Artifact> | undefined {
    return this.#newest
  }

  /** The version with a name: `v3`, or an alias. */
  find(name: string): Membership<Artifact> | undefined {
    const index = versionIndexIn(name)
    return index === undefined ? this.#aliases.get(name) : this.#members.get(index)
  }

  /** Adds the next version. */
  add(artifact: Artifact, id: string, at: number): Membership<Artifact> {
    const member = new Membership({ id, artifact, collection: this, index: this.#next++, at })
    this.#members.set(member.index, member)
    this.#newest = member
    this.updatedAt = at
    return member
  }

  /** Adds the versions of a saved world. The next one will have the index `next`. */
  restore(members: readonly Membership<Artifact>[], next: number): void {
    for (const member of members.toSorted((one, other) => one.index - other.index)) {
      this.#members.set(member.index, member)
      for (const alias of member.aliases) this.#aliases.set(alias, member)
      this.#newest = member
    }
    this.#next = next
  }

  /** Removes a version with its aliases. */
  remove(member: Membership<Artifact>): void {
    for (const alias of member.aliases) this.#aliases.delete(alias)
    member.aliases.clear()
    this.#members.delete(member.index)
    if (member === this.#newest) this.#newest = [...this.#members.values()].at(-1)
  }

  /** Gives a version an alias. Returns the version that had it before, if another one had. */
  setAlias(alias: string, member: Membership<Artifact>): Membership<Artifact> | undefined {
    const before = this.#aliases.get(alias)
    if (before === member) return undefined
    before?.aliases.delete(alias)
    member.aliases.add(alias)
    this.#aliases.set(alias, member)
    return before
  }

  /** Takes an alias away from a version. */
  removeAlias(alias: string, member: Membership<Artifact>): void {
    if (this.#aliases.get(alias) !== member) return
    this.#aliases.delete(alias)
    member.aliases.delete(alias)
  }
}

interface MembershipMade<Artifact> {
  readonly id: string
  readonly artifact: Artifact
  readonly collection: Collection<Artifact>
  readonly index: number
  readonly at: number
}

/** An artifact as a version of a collection. A linked artifact is a version of several. */
export class Membership<Artifact> {
  readonly id: string
  readonly artifact: Artifact
  readonly collection: Collection<Artifact>
  /** 3 in `v3`. */
  readonly index: number
  readonly createdAt: number
  /** In the order in which they were added. */
  readonly aliases = new Set<string>()

  constructor({ id, artifact, collection, index, at }: MembershipMade<Artifact>) {
    this.id = id
    this.artifact = artifact
    this.collection = collection
    this.index = index
    this.createdAt = at
  }

  /** `team/project/name:v3`, as clients name it. */
  get path(): string {
    return `${this.collection.path}:v${this.index}`
  }
}

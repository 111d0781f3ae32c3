import { versionIndexIn } from './names.js'
import type { ProjectRecord } from './project-record.js'
import * as field from './field.js'
import { recordClass } from './record.js'

/** The alias that moves to the newest version. */
export const LATEST = 'latest'

/** What is saved of a collection of artifacts. */
export const COLLECTION = {
  project: field.link<ProjectRecord>(),
  name: field.name,
  /** The type of its artifacts, such as `dataset`. */
  type: field.text,
  /** `source`: artifacts are committed to it. `linked`: artifacts of other collections are linked to it. */
  kind: field.fixed(field.savedAs('of', field.choice('source', 'linked'))),
  createdAt: field.fixed(field.moment),
  updatedAt: field.moment,
  description: field.withDefault(field.text, ''),
  tags: field.fixed(field.texts),
  /** The index that its next version will have. It is never used again. */
  nextIndex: field.savedAs('next', field.withDefault(field.count, 0)),
  /** Whether it is deleted. Its artifacts still have it. */
  isDeleted: field.savedAs('deleted', field.flag),
}

/** What a collection knows of its versions. */
interface CollectionMember {
  readonly index: number
  readonly createdAt: number
  readonly aliases: Set<string>
}

/** The name of artifacts: its versions, and which of them each alias means. */
export class Collection<Member extends CollectionMember> extends recordClass(COLLECTION) {
  /** By index of the version, in the order of the versions. */
  readonly #members = new Map<number, Member>()
  readonly #aliases = new Map<string, Member>()
  #newest: Member | undefined

  get entity(): string {
    return this.project.entity
  }

  /** `team/project/name`, as clients name it. */
  get path(): string {
    return `${this.entity}/${this.project.name}/${this.name}`
  }

  /** The versions that exist, oldest first. */
  get members(): Iterable<Member> {
    return this.#members.values()
  }

  /** How many versions exist. */
  get size(): number {
    return this.#members.size
  }

  /** The aliases, each with its version, in the order of the versions. */
  get aliases(): ReadonlyMap<string, Member> {
    const aliases = new Map<string, Member>()
    for (const member of this.members)
      for (const alias of member.aliases) aliases.set(alias, member)
    return aliases
  }

  /** The newest version that exists. */
  get newest(): Member | undefined {
    return this.#newest
  }

  /** The version with a name: `v3`, or an alias. */
  find(name: string): Member | undefined {
    const index = versionIndexIn(name)
    return index === undefined ? this.#aliases.get(name) : this.#members.get(index)
  }

  /** Adds the next version. */
  add(member: Member): void {
    this.#members.set(member.index, member)
    this.#newest = member
    this.nextIndex = member.index + 1
    this.updatedAt = member.createdAt
  }

  /** Adds the versions of a saved world. */
  restore(members: readonly Member[]): void {
    for (const member of members.toSorted((one, other) => one.index - other.index)) {
      this.#members.set(member.index, member)
      for (const alias of member.aliases) this.#aliases.set(alias, member)
      this.#newest = member
    }
  }

  /** Removes a version with its aliases. */
  remove(member: Member): void {
    for (const alias of member.aliases) this.#aliases.delete(alias)
    member.aliases.clear()
    this.#members.delete(member.index)
    if (member === this.#newest) this.#newest = [...this.#members.values()].at(-1)
  }

  /** Gives a version an alias. Returns the version that had it before, if another one had. */
  setAlias(alias: string, member: Member): Member | undefined {
    const before = this.#aliases.get(alias)
    if (before === member) return undefined
    before?.aliases.delete(alias)
    member.aliases.add(alias)
    this.#aliases.set(alias, member)
    return before
  }

  /** Takes an alias away from a version. */
  removeAlias(alias: string, member: Member): void {
    if (this.#aliases.get(alias) !== member) return
    this.#aliases.delete(alias)
    member.aliases.delete(alias)
  }
}

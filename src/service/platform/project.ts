import type { ArtifactCollection } from './artifact.js'
import type { ProjectRecord } from './project-record.js'
import type { Run } from './run.js'

interface ProjectMade {
  readonly id: string
  readonly ordinal: number
  readonly entity: string
  readonly name: string
  readonly at: number
}

/** A project of an entity: its runs, and its collections of artifacts. A registry is a project, too. */
export class Project implements ProjectRecord {
  readonly id: string
  /** Its number in this world, from 1. Clients ask for it. */
  readonly ordinal: number
  /** The team or the user that owns it. */
  readonly entity: string
  readonly name: string
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly createdAt: number
  description = ''
  /** By name, in the order of their creation. */
  readonly runs = new Map<string, Run>()
  /** By name, in the order of their creation. */
  readonly collections = new Map<string, ArtifactCollection>()
  /** The types of artifacts that clients created before they had an artifact of them. */
  readonly types = new Map<string, number>()

  constructor({ id, ordinal, entity, name, at }: ProjectMade) {
    this.id = id
    this.ordinal = ordinal
    this.entity = entity
    this.name = name
    this.createdAt = at
  }

  /** The collections of a type. */
  collectionsOf(type: string): ArtifactCollection[] {
    return [...this.collections.values()].filter((each) => each.type === type)
  }
}

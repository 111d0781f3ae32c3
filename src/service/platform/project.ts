import type { ArtifactCollection } from './artifact.js'
import { PROJECT } from './project-record.js'
import { recordClass } from './record.js'
import type { Run } from './run.js'

/** What a client says about a project. Fields that are undefined stay as they are. */
export type ProjectFacts = {
  readonly [Name in 'description' | 'access' | 'views' | 'allowsAllTypes']?:
    | Project[Name]
    | undefined
}

/** A project of an entity: its runs, and its collections of artifacts. A registry is a project, too. */
export class Project extends recordClass(PROJECT) {
  /** By name, in the order of their creation. */
  readonly runs = new Map<string, Run>()
  /** By name, in the order of their creation. */
  readonly collections = new Map<string, ArtifactCollection>()

  /** The collections of a type. */
  collectionsOf(type: string): ArtifactCollection[] {
    return [...this.collections.values()].filter((each) => each.type === type)
  }
}

import type { Artifact, ArtifactCollection, Version } from './artifact.js'
import type { Project } from './project.js'
import type { RunState } from '../scenario/run-states.js'
import type { Run } from './run.js'

/** Who causes a change. */
export interface Author {
  /** The user that the API key belongs to. */
  readonly user: string
  /** The id of the journal entry of the call. */
  readonly cause?: number | undefined
}

/** Something that changed in the runs and artifacts of a world. The engine makes events of some of them. */
export type PlatformChange =
  | (ChangeBase & { readonly type: 'project_created'; readonly project: Project })
  | (ChangeBase & { readonly type: 'run_created'; readonly run: Run })
  | (ChangeBase & {
      readonly type: 'run_state_changed'
      readonly run: Run
      readonly before: RunState
    })
  /** New lines of the history. `first` is the index of the first one. */
  | (ChangeBase & {
      readonly type: 'metrics_logged'
      readonly run: Run
      readonly first: number
      readonly lines: readonly string[]
    })
  | (ChangeBase & { readonly type: 'artifact_created'; readonly artifact: Artifact })
  | (ChangeBase & { readonly type: 'artifact_committed'; readonly artifact: Artifact })
  | (ChangeBase & { readonly type: 'artifact_deleted'; readonly artifact: Artifact })
  /** An alias was added, or moved away from another version. */
  | (ChangeBase & {
      readonly type: 'alias_added'
      readonly membership: Version
      readonly alias: string
      readonly movedFrom: Version | undefined
    })
  | (ChangeBase & {
      readonly type: 'alias_removed'
      readonly membership: Version
      readonly alias: string
    })
  | (ChangeBase & {
      readonly type: 'tag_added' | 'tag_removed'
      readonly artifact: Artifact
      readonly tag: string
    })
  | (ChangeBase & {
      readonly type: 'collection_tag_added' | 'collection_tag_removed'
      readonly collection: ArtifactCollection
      readonly tag: string
    })
  /** An artifact was linked to a collection, or that ended. */
  | (ChangeBase & {
      readonly type: 'artifact_linked' | 'artifact_unlinked'
      readonly membership: Version
    })

interface ChangeBase extends Author {
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly at: number
}

/** Takes each change, after it is done. */
export type ChangeListener = (change: PlatformChange) => void

/** A change without what each change has. */
export type ChangeFacts = PlatformChange extends infer Change
  ? Change extends PlatformChange
    ? Omit<Change, keyof ChangeBase>
    : never
  : never

import type { RecordChange, SavableThings } from '../../platform/savable.js'
import type { Changes } from '../saved/unsaved-changes.js'
import type { AnyPart, AnyRecord } from '../saved/saved-part.js'
import {
  savedArtifacts,
  savedClientIds,
  savedCollections,
  savedOtherIds,
  savedUses,
  savedVersions,
} from './saved-artifacts.js'
import { savedContentParts, savedContents } from './saved-contents.js'
import { savedPlatform, savedProjects } from './saved-platform.js'
import { savedRunFiles, savedRunLines, savedRunProgress, savedRuns } from './saved-runs.js'
import { savedManifests, savedUploads } from './saved-uploads.js'

/** The parts of runs and artifacts, in the order in which they are written and restored. */
export const partsOfPlatform = [
  savedContents,
  savedContentParts,
  savedPlatform,
  savedProjects,
  savedRuns,
  savedRunProgress,
  savedRunLines,
  savedRunFiles,
  savedCollections,
  savedArtifacts,
  savedVersions,
  savedOtherIds,
  savedClientIds,
  savedUses,
  savedUploads,
  savedManifests,
] as const

/** The parts that each kind of thing is saved with. */
const partsOf: {
  readonly [Kind in keyof SavableThings]: readonly AnyPart<AnyRecord, SavableThings[Kind]>[]
} = {
  counters: [savedPlatform],
  project: [savedProjects],
  run: [savedRuns],
  progress: [savedRunProgress],
  lines: [savedRunLines],
  runFile: [savedRunFiles],
  collection: [savedCollections],
  artifact: [savedArtifacts],
  otherId: [savedOtherIds],
  clientId: [savedClientIds],
  use: [savedUses],
  version: [savedVersions],
  upload: [savedUploads],
  manifest: [savedManifests],
  content: [savedContents, savedContentParts],
}

/** Records the changes of runs and artifacts among those of their world. */
export function recordChanges(changes: Changes): RecordChange {
  return (kind, id, thing) => {
    for (const part of partsOf[kind]) changes.changed(part as AnyPart, id, thing)
  }
}

import { savedJudge, savedRepeats, savedTurns, savedUsage } from '../chat/saved-chat.js'
import { savedFaults } from '../faults/saved-faults.js'
import { savedAliases, savedCheckpoints } from '../jobs/saved-checkpoints.js'
import { savedJobs } from '../jobs/saved-jobs.js'
import { savedProgress } from '../jobs/saved-progress.js'
import { savedSftJobs } from '../jobs/saved-sft-jobs.js'
import { savedLessons } from '../jobs/saved-lessons.js'
import { savedFailedChats, savedSamples, savedTrainedJobs } from '../lineage/saved-lineage.js'
import { savedMeter } from '../meter/saved-meter.js'
import { savedClock, savedFrame } from '../saved-frame.js'
import { savedMirrors } from '../platform/saved-mirrors.js'
import { partsOfPlatform } from '../platform/platform-parts.js'
import { deletedModels, savedModels, savedNames } from '../saved-models.js'
import { savedTimeline } from '../saved-timeline.js'
import type { AnyPart } from './saved-part.js'

/** The parts of an engine, in the order in which they are written and restored. */
export const engineParts = [
  savedClock,
  savedFrame,
  savedModels,
  savedCheckpoints,
  savedAliases,
  savedJobs,
  savedProgress,
  savedSftJobs,
  deletedModels,
  savedFaults,
  savedTimeline,
  savedRepeats,
  savedTurns,
  savedLessons,
  savedSamples,
  savedTrainedJobs,
  savedFailedChats,
  savedJudge,
  savedUsage,
  savedMeter,
  ...partsOfPlatform,
  savedMirrors,
  savedNames,
] as const

type Needs<Part> =
  Part extends AnyPart<infer _Saved, infer _Thing, infer World> ? (world: World) => void : never

/** A world, with all that the parts of the engine need of it. */
export type EngineWorld =
  Needs<(typeof engineParts)[number]> extends (world: infer World) => void ? World : never

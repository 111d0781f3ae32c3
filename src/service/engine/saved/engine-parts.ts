import type { Chat } from '../chat/chat.js'
import { savedJudge, savedRepeats, savedTurns, savedUsage } from '../chat/saved-chat.js'
import type { Faults } from '../faults/faults.js'
import { savedFaults } from '../faults/saved-faults.js'
import type { Checkpointing } from '../jobs/checkpointing.js'
import type { Lessons } from '../jobs/lessons.js'
import { savedAliases, savedCheckpoints } from '../jobs/saved-checkpoints.js'
import { savedJobs, savedProgress, savedSftJobs } from '../jobs/saved-jobs.js'
import { savedLessons } from '../jobs/saved-lessons.js'
import type { Lineage } from '../lineage/lineage.js'
import { savedFailedChats, savedSamples, savedTrainedJobs } from '../lineage/saved-lineage.js'
import type { Training } from '../jobs/training.js'
import type { Meter } from '../meter/meter.js'
import { savedMeter } from '../meter/saved-meter.js'
import { savedClock, savedFrame } from '../saved-frame.js'
import { savedMirrors, type MirroredModels } from '../platform/saved-mirrors.js'
import { partsOfPlatform } from '../platform/platform-parts.js'
import type { Platform } from '../../platform/platform.js'
import { deletedModels, savedModels, savedNames } from '../saved-models.js'
import { savedTimeline } from '../saved-timeline.js'
import type { Scenario } from '../../scenario/scenario.js'
import type { Clock } from '../../../base/clock/clock.js'
import type { SeededRandom } from '../../../base/random/random.js'
import type { Store } from '../store.js'
import type { Timeline } from '../timeline.js'
import type { AnyPart, AnyRecord } from './saved-part.js'

/** A world, as the parts of the engine see it. */
export interface EngineWorld {
  readonly engine: {
    readonly clock: Clock
    readonly random: SeededRandom
    readonly store: Store
    readonly checkpointing: Checkpointing
    readonly training: Training
    readonly faults: Faults
    readonly timeline: Timeline
    readonly scenario: Scenario
    readonly savedScenario: Scenario
    readonly awake: boolean
    readonly began: number
    readonly chat: Chat
    readonly lessons: Lessons
    readonly lineage: Lineage
    readonly meter: Meter
    readonly clientPlatform: Platform
    readonly checkpointArtifacts: MirroredModels
  }
}

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
] as const satisfies readonly AnyPart<AnyRecord, unknown, EngineWorld>[]

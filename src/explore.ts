/**
 * Runs your code against everything that the service can do to it.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export {
  explore,
  Explored,
  type ExploredCode,
  type ExploredEmulatorOptions,
  type ExploredRun,
  type ExploredWorld,
  ExploreError,
  type ExploreFailure,
  type ExploreOptions,
  type ExplorePlan,
  type ExploreReport,
  type Kill,
  type OwnScenario,
  type ShrinkStep,
  type Trial,
  type UntriedReason,
  type Verdict,
} from './runners/explore.js'
export { CrashNeedsFetchError } from './runners/lives.js'
export { EmulatorError } from './base/text/emulator-error.js'

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
  type ExploredWorld,
  ExploreError,
  type ExploreOptions,
} from './runners/explore.js'
export { CrashNeedsFetchError } from './runners/lives.js'
export type { Kill } from './tools/explore/crash/kill.js'
export { EmulatorError } from './base/text/emulator-error.js'
export type {
  ExploredRun,
  ExploreFailure,
  ExplorePlan,
  ExploreReport,
  OwnScenario,
  ShrinkStep,
  Trial,
  UntriedReason,
  Verdict,
} from './tools/explore/exploration.js'

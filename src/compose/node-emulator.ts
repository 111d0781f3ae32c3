import { refuseRemovedVariables } from '../base/text/removed-error.js'
import { watchPorts } from '../emulator/adapters/listen.js'
import { openPorts } from '../emulator/adapters/open-ports.js'
import { warnProcess } from '../emulator/adapters/process-warnings.js'
import { loadedChecks } from '../emulator/checks.js'
import { Emulator as AnyEmulator } from '../emulator/emulator.js'
import { billVerbs, type BillVerbs } from '../tools/bill/verb.js'
import { readScenarioFileNow } from '../service/scenario/scenario-file.js'
import { compose } from './compose.js'
import { control } from './control.js'
import { sinkVerbs, type SinkVerbs } from './emulator-sink.js'
import { nodeRuntime, type NodeEmulatorOptions, type NodeVerbs } from './node-runtime.js'

/** An emulator in Node: it can listen on ports and create a webhook sink. */
export type Emulator = AnyEmulator & BillVerbs & NodeVerbs & SinkVerbs

/** The name is also that of a class, for `instanceof`. Only `createEmulator` creates emulators. */
export const Emulator = AnyEmulator as unknown as abstract new (...parts: never) => Emulator

/**
 * Creates an emulator with a world of its own: two emulators share nothing. Its world is there when this returns, so a
 * large one of `data` or `snapshot` blocks its process for seconds.
 *
 * @throws {OptionsError} When an option can't be used.
 * @throws {ScenarioError} When the scenario is unknown or cannot be used.
 * @throws {DataFolderError} When the `data` folder cannot be used.
 * @throws {SnapshotError} When the snapshot, or the world in the `data` folder, cannot be used.
 * @throws {RemovedError} When an environment variable is set that was removed.
 * @example
 * const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
 */
export function createEmulator(options?: NodeEmulatorOptions): Emulator {
  refuseRemovedVariables(process.env)
  return create(options)
}

const create = compose<NodeEmulatorOptions, BillVerbs & NodeVerbs & SinkVerbs>({
  ...nodeRuntime,
  checks: loadedChecks,
  control,
  // The command reads files before it creates an emulator, without this module.
  readScenario: readScenarioFileNow,
  warnings: { warned: warnProcess },
  verbs: { ...billVerbs, ...nodeRuntime.verbs, ...sinkVerbs },
})

// The command line does not load this module: its ports are all that it is for.
watchPorts(openPorts)

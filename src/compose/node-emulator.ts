import { refuseRemovedVariables } from '../base/text/removed-error.js'
import { watchPorts } from '../emulator/adapters/port-watch.js'
import { openPorts } from '../emulator/adapters/open-ports.js'
import { warnProcess } from '../emulator/adapters/process-warnings.js'
import { loadedChecks } from '../emulator/checks.js'
import { readScenarioFileNow } from '../service/scenario/scenario-file.js'
import { compose } from './compose.js'
import { control } from './control.js'
import type { WebhookSink } from './create-sink.js'
import { createSinkFor, type EmulatorSinkOptions } from './emulator-sink.js'
import { ListeningEmulator } from './listening-emulator.js'
import { nodeRuntime, type NodeEmulatorOptions } from './node-runtime.js'

/** An emulator in Node: it can listen on ports and create a webhook sink. Only `createEmulator` creates emulators. */
export class NodeEmulator extends ListeningEmulator {
  /**
   * Creates a webhook sink in this process. From now on, the emulator sends to it: the deliveries of the
   * scenario's webhooks without a URL, or if there are none, every event of jobs and artifacts. The sink
   * knows the secrets, follows the clock, and writes to the journal.
   *
   * @returns The sink, to wait for deliveries and to script answers.
   * @throws {SinkAttachedError} When the emulator has a sink.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const sink = emulator.createSink()
   */
  createSink(options?: EmulatorSinkOptions): WebhookSink {
    return createSinkFor(this, options)
  }
}

const create = compose<NodeEmulatorOptions, NodeEmulator>({
  ...nodeRuntime,
  Emulator: NodeEmulator,
  checks: loadedChecks,
  control,
  // The command reads files before it creates an emulator, without this module.
  readScenario: readScenarioFileNow,
  warnings: { warned: warnProcess },
})

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
export function createEmulator(options?: NodeEmulatorOptions): NodeEmulator {
  refuseRemovedVariables(process.env)
  return create(options)
}

// The command line does not load this module: its ports are all that it is for.
watchPorts(openPorts)

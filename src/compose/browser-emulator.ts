import { loadedChecks } from '../emulator/checks.js'
import { emulatorOptions, type EmulatorOptions } from '../emulator/emulator-options.js'
import { compose } from './compose.js'
import { control } from './control.js'
import { EmulatorWithTools } from './emulator-with-tools.js'

/**
 * Creates an emulator without ports and files. Call it with `emulator.fetch`, or use its handlers from
 * `svtrain-emulator/msw`.
 *
 * @throws {OptionsError} When an option can't be used.
 * @throws {ScenarioError} When the scenario is unknown or cannot be used.
 * @throws {SnapshotError} When the snapshot cannot be used.
 * @example
 * const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
 */
export const createEmulator: (options?: EmulatorOptions) => EmulatorWithTools = compose({
  Emulator: EmulatorWithTools,
  options: emulatorOptions,
  checks: loadedChecks,
  control,
})

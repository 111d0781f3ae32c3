import { loadedChecks } from '../emulator/checks.js'
import { Emulator as AnyEmulator } from '../emulator/emulator.js'
import { composeEmulator } from './compose.js'
import { sinkAbilities, type SinkAbilities } from './emulator-sink.js'
import { nodePlatform, type NodeAbilities, type NodeEmulatorOptions } from './node-runtime.js'

/** An emulator in Node: it can listen on ports and create a webhook sink. */
export type Emulator = AnyEmulator & NodeAbilities & SinkAbilities

/** The name is also that of a class, for `instanceof`. Only `createEmulator` creates emulators. */
export const Emulator = AnyEmulator as unknown as abstract new (...parts: never) => Emulator

/**
 * Creates an emulator with a world of its own: two emulators share nothing.
 *
 * @throws {OptionsError} When an option is unknown or cannot be used.
 * @throws {ScenarioError} When the scenario is unknown or cannot be used.
 * @throws {DataFolderError} When the `data` folder cannot be used.
 * @throws {SnapshotError} When the snapshot, or the world in the `data` folder, cannot be used.
 * @example
 * const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
 */
export const createEmulator: (options?: NodeEmulatorOptions) => Emulator = composeEmulator({
  platform: {
    ...nodePlatform,
    abilities: (emulator: AnyEmulator) => ({
      ...nodePlatform.abilities(emulator),
      ...sinkAbilities(emulator),
    }),
  },
  checks: loadedChecks,
})

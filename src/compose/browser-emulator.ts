import { loadedChecks } from '../emulator/checks.js'
import type { Emulator as AnyEmulator } from '../emulator/emulator.js'
import { emulatorOptions, type EmulatorOptions } from '../emulator/emulator-options.js'
import { billVerbs, type BillVerbs } from '../tools/bill/verb.js'
import { compose } from './compose.js'

/** An emulator without ports and files. */
export type Emulator = AnyEmulator & BillVerbs

/**
 * Creates an emulator without ports and files. Call it with `emulator.fetch`, or use its handlers from
 * `svtrain-emulator/msw`.
 *
 * @throws {OptionsError} When an option is unknown or cannot be used.
 * @throws {ScenarioError} When the scenario is unknown or cannot be used.
 * @throws {SnapshotError} When the snapshot cannot be used.
 * @example
 * const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
 */
export const createEmulator: (options?: EmulatorOptions) => Emulator = compose<
  EmulatorOptions,
  BillVerbs
>({
  options: emulatorOptions,
  checks: loadedChecks,
  verbs: billVerbs,
})

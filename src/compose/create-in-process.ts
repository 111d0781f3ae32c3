import {
  InProcessEmulator,
  inProcessOptions,
  type InProcessOptions,
} from './in-process-emulator.js'

/**
 * An emulator with a world of its own, without ports or files: `fetch` is the whole of it, and
 * `svtrain-emulator/msw` answers in its name. Throws `OptionsError` if an option can't be used, and
 * `ScenarioError` if the scenario is unknown or can't be used.
 */
export function createEmulator(options: InProcessOptions = {}): InProcessEmulator {
  inProcessOptions.check(options)
  return new InProcessEmulator(options)
}

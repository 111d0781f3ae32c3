import type { Emulator, EmulatorOptions } from '../../src/index.js'
import { createSavedEmulator } from '../support/saved-emulator.js'

/** Creates an emulator with a manual clock, unless the options say otherwise. It closes with the test. */
export function openEmulator(options: EmulatorOptions = {}): Emulator {
  return createSavedEmulator({ clock: 'manual', ...options })
}

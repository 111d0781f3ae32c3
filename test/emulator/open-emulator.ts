import { onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'

/** Creates an emulator with a manual clock, unless the options say otherwise. It closes with the test. */
export function openEmulator(options: EmulatorOptions = {}): Emulator {
  const emulator = createEmulator({ clock: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

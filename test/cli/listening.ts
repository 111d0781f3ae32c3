import { onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'

/** An emulator that listens on free ports until the test is over. */
export async function listening(
  options: EmulatorOptions = {},
  controlToken?: string,
): Promise<Emulator> {
  const emulator = createEmulator(options)
  onTestFinished(() => emulator.close())
  await emulator.listen({ controlToken })
  return emulator
}

import { onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type ListenOptions } from '../../../src/index.js'

/** Creates an emulator that listens on a free port until the test is over. */
export async function listening(
  options: ListenOptions = {},
): Promise<{ emulator: Emulator; port: number }> {
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  const { port } = await emulator.listen(options)
  return { emulator, port }
}

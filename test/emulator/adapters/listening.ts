import type { Emulator, ListenOptions } from '../../../src/index.js'
import { openEmulator } from '../open-emulator.js'

/** Creates an emulator that listens on a free port until the test is over. */
export async function listening(
  options: ListenOptions = {},
): Promise<{ emulator: Emulator; port: number }> {
  const emulator = openEmulator()
  const { port } = await emulator.listen(options)
  return { emulator, port }
}

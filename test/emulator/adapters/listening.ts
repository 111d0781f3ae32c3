import type { Emulator, Listening, ListenOptions } from '../../../src/index.js'
import { openEmulator } from '../open-emulator.js'

/** Creates an emulator that listens on a free port until the test is over. */
export async function listening(
  options: ListenOptions = {},
): Promise<{ emulator: Emulator } & Listening> {
  const emulator = openEmulator()
  return { emulator, ...(await emulator.listen(options)) }
}

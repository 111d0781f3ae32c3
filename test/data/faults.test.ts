import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'

it('goes on with the faults that were added, but for those that hold functions', async () => {
  const data = temporaryFolder()
  const ask = async (emulator: ReturnType<typeof createEmulator>): Promise<number> => {
    const { status } = await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    return status
  }
  const before = createEmulator({ data })
  before.faults.add({ fault: 'status', status: 503, calls: 2 })
  before.faults.add({ fault: 'status', status: 418, match: () => true })
  expect(await ask(before)).toBe(418)
  await before.close()

  const after = createEmulator({ data })
  onTestFinished(() => after.close())
  expect(await ask(after)).toBe(503)
  expect(await ask(after)).toBe(200)
})

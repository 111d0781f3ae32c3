import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { openEmulator } from '../../open-emulator.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

it('the next process has the faults that were added, except those with functions', async () => {
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

  const after = openEmulator({ data })
  expect(await ask(after)).toBe(503)
  expect(await ask(after)).toBe(200)
})

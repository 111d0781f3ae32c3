import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { openEmulator } from '../../open-emulator.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { leftBy } from './world-on-disk.js'

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

it('a fault that is closed in code is closed in the next process', async () => {
  const data = temporaryFolder()
  const emulator = openEmulator({ data })
  const fault = emulator.faults.add({ fault: 'status', status: 503 })
  await setImmediate()
  fault.open = false
  await setImmediate()
  const next = openEmulator({ data: leftBy(data) })
  expect((await next.fetch(`${next.trainingUrl}/preview/base-models`)).status).toBe(200)
})

import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
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

  const after = createEmulator({ data })
  onTestFinished(() => after.close())
  expect(await ask(after)).toBe(503)
  expect(await ask(after)).toBe(200)
})

const health = '/preview/base-models'

function open(data: string): ReturnType<typeof createEmulator> {
  const scenario = {
    name: 'x',
    faults: [{ name: 'outage', fault: 'status', status: 503 } as const],
  }
  const emulator = createEmulator({ data, scenario, clock: 'real' })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Opens the world that the next process finds if this one is killed now. */
function nextProcess(data: string): ReturnType<typeof createEmulator> {
  return open(leftBy(data))
}

it('a fault that is closed before the first request is also closed in the next process', async () => {
  const data = temporaryFolder()
  const emulator = open(data)
  const path = new URL('/_emulator/faults/scenario-1/close', emulator.trainingUrl)
  expect((await emulator.fetch(path, { method: 'POST' })).status).toBe(200)
  for (const each of [nextProcess(data), emulator]) {
    expect((await each.fetch(each.trainingUrl + health)).status).toBe(200)
  }
})

it('a fault that is closed in code is closed in the next process', async () => {
  const data = temporaryFolder()
  const emulator = createEmulator({ data })
  onTestFinished(() => emulator.close())
  const fault = emulator.faults.add({ fault: 'status', status: 503 })
  await setImmediate()
  fault.open = false
  await setImmediate()
  const next = createEmulator({ data: leftBy(data) })
  onTestFinished(() => next.close())
  expect((await next.fetch(next.trainingUrl + health)).status).toBe(200)
})

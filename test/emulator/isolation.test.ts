import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'

it('a hundred emulators in one process share nothing', async () => {
  const emulators = Array.from({ length: 100 }, (_, index) => createEmulator({ seed: index % 2 }))
  const jobs = await Promise.all(
    emulators.map(async (emulator, index) => {
      const model = await emulator.models.create({ name: `model-${index}` })
      emulator.faults.add({ fault: 'status', status: 500 + (index % 4) })
      const { status } = await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
      expect(status).toBe(500 + (index % 4))
      return emulator.jobs.start({ model })
    }),
  )
  emulators[0]!.reset()
  emulators[1]!.clock.advance('1h')
  await emulators[2]!.close()
  for (const [index, emulator] of emulators.entries()) {
    expect(emulator.jobs.all.length).toBe(index === 0 ? 0 : 1)
    expect(emulator.requests.count()).toBe(index === 0 ? 0 : 1)
    expect(jobs[index]!.status).toBe(index === 1 ? 'ended' : 'queued')
  }
  expect(new Set(jobs.map(({ model }) => model.name)).size).toBe(100)
})

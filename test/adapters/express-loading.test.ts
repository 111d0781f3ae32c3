import { expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator } from '../../src/index.js'

const loaded = vi.hoisted(() => ({ times: 0 }))
vi.mock('express', async (original) => {
  loaded.times++
  return original()
})

// In a file of its own, so that nothing else has loaded it before.
it('Express is loaded for middleware, and for nothing else', async () => {
  const emulator = createEmulator()
  onTestFinished(() => emulator.close())
  await emulator.listen()
  await fetch(`${emulator.trainingUrl}/health`)
  expect(loaded.times).toBe(0)
  await emulator.close()
  await emulator.listen({ use: [(_request, _response, next) => next()] })
  expect(loaded.times).toBe(1)
})

import { after, test } from 'node:test'
import { createEmulator } from 'svtrain-emulator'
import {
  assertEnded,
  assertFailed,
  assertReceivedRequest,
  assertStarted,
} from 'svtrain-emulator/assert'

const emulator = createEmulator({ scenario: 'failing-job' })
after(() => emulator.close())

test('a job that fails', async () => {
  const job = await emulator.jobs.start({ model: await emulator.models.create({ name: 'poet' }) })
  await emulator.settle()
  assertStarted(job)
  assertFailed(job, /out of memory/)
  emulator.assertNothingPending()
  emulator.assertSoundConduct()
})

test('a request', async () => {
  await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
  assertReceivedRequest(emulator, 'listBaseModels', { times: 1 })
})

test('fails, and says why', () => assertEnded(emulator.job({ model: 'poet' })))

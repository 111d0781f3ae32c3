import { after, test } from 'node:test'
import { createEmulator } from 'svtrain-emulator'
import {
  assertEnded,
  assertFailed,
  assertReceivedInOrder,
  assertReceivedRequest,
  assertReceivedWebhook,
  assertStarted,
  assertValidlySigned,
} from 'svtrain-emulator/assert'

const emulator = createEmulator({ scenario: 'failing-job' })
after(() => emulator.close())

test('a job that fails', async () => {
  const job = await emulator.jobs.start({ model: await emulator.models.create({ name: 'poet' }) })
  await emulator.settle()
  assertStarted(job)
  assertFailed(job, /out of memory/)
  emulator.assertNothingPending()
  emulator.assertClientChecks()
})

test('a request', async () => {
  await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
  assertReceivedRequest(emulator, 'listBaseModels', { times: 1 })
})

test('a webhook', async () => {
  const told = createEmulator({ scenario: 'failing-job' })
  const sink = told.createSink()
  await told.jobs.start()
  await told.settle()
  assertReceivedWebhook(sink, { event: 'RUN_STATE' }, { count: 2 })
  assertReceivedInOrder(sink, [
    { body: { run_state: 'running' } },
    { body: { run_state: 'failed' } },
  ])
  assertValidlySigned(sink)
})

test('fails, and says why', () => assertEnded(emulator.job({ model: 'poet' })))

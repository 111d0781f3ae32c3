import { afterAll, expect, test } from '@jest/globals'
import { createEmulator } from 'svtrain-emulator'
import { matchers } from 'svtrain-emulator/jest'

expect.extend(matchers)

const emulator = createEmulator({ scenario: 'failing-job' })
afterAll(() => emulator.close())

test('a job that fails', async () => {
  const job = await emulator.jobs.start({ model: await emulator.models.create({ name: 'poet' }) })
  await emulator.settle()
  expect(job).toHaveStarted()
  expect(job).toHaveFailed(/out of memory/)
  expect(job).not.toHaveEnded()
  emulator.assertNothingPending()
})

test('a request', async () => {
  await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
  expect(emulator).toHaveReceivedRequest({
    operation: 'listBaseModels',
    path: expect.stringContaining('base-models'),
  })
})

test('a webhook', async () => {
  const sink = createEmulator().createSink()
  await sink.fetch(sink.url, { method: 'POST', body: '{"event_type":"MINE"}' })
  expect(sink).toHaveReceivedWebhook({ event: 'MINE' })
  expect(sink).toHaveReceivedInOrder([{ event: 'MINE' }])
  expect(sink).not.toBeValidlySigned()
})

test('fails, and says why', () => expect(emulator.job({ model: 'poet' })).toHaveEnded())

test('fails, and shows the difference', () => {
  expect(emulator.job({ model: 'poet' })).toEqual({ status: 'ended' })
})

import { expect, test } from 'svtrain-emulator/vitest'

test.override({ emulatorOptions: { scenario: 'failing-job', seed: 7 } })

test('a job that fails', async ({ emulator }) => {
  const job = await emulator.jobs.start({ model: await emulator.models.create({ name: 'poet' }) })
  await emulator.settle()
  expect(job).toHaveFailed(/out of memory/)
  emulator.assertNothingPending()
})

test('fails, and says why', async ({ emulator }) => {
  const job = await emulator.jobs.start({ model: await emulator.models.create({ name: 'poet' }) })
  emulator.jobs.finish(job)
  expect(emulator.requests.count()).toBe(1)
})

test('fails, and shows the difference', async ({ emulator }) => {
  const job = await emulator.jobs.start()
  await emulator.settle()
  expect(job).toEqual({ status: 'ended' })
})

test('hears of a job that fails', async ({ emulator, sink }) => {
  await emulator.jobs.start()
  await sink.waitFor({ event: 'RUN_STATE', body: { run_state: 'failed' } })
  expect(sink).toBeValidlySigned()
})

test('fails for a delivery that was refused', async ({ emulator, sink }) => {
  sink.answer({ status: 503, times: 1 })
  await emulator.jobs.start()
  await sink.waitFor({ body: { run_state: 'failed' } })
})

test('fails its client checks', async ({ emulator }) => {
  const { id } = emulator.jobs.finish(await emulator.jobs.start())
  const headers = { authorization: 'Bearer a-key' }
  const poll = () =>
    emulator.fetch(`${emulator.trainingUrl}/preview/training-jobs/${id}`, { headers })
  await poll()
  await poll()
})

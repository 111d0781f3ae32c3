import { describe } from 'vitest'
import { expect, test } from 'svtrain-emulator/vitest'

// The fixture reads the variable when a test fails.
process.env.SVTRAIN_EMULATOR_REPORTS = 'by-variable'

test.override({ emulatorOptions: { scenario: 'failing-job', seed: 7 } })

test('passes', async ({ emulator }) => {
  await emulator.jobs.start({ model: 'poet' })
})

test('fails', async ({ emulator }) => {
  await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  expect(emulator.job()).toHaveEnded()
})

test('fails its client checks', async ({ emulator }) => {
  const { id } = emulator.jobs.finish(await emulator.jobs.start({ model: 'painter' }))
  const headers = { authorization: 'Bearer a-key' }
  for (const _time of ['first', 'second']) {
    await emulator.fetch(`${emulator.trainingUrl}/preview/training-jobs/${id}`, { headers })
  }
})

describe('chosen', () => {
  test.override({ report: 'by-name' })

  test('fails again', async ({ emulator }) => {
    expect(emulator.requests.count()).toBe(1)
  })
})

describe('off', () => {
  test.override({ report: false })

  test('fails without a report', async ({ emulator }) => {
    expect(emulator.requests.count()).toBe(1)
  })
})

describe('not writable', () => {
  test.override({ report: 'vitest-reports/job.test.js/reports' })

  test('says that the report could not be written', async ({ emulator }) => {
    expect(emulator.requests.count()).toBe(1)
  })
})

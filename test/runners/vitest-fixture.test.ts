import { describe, expect } from 'vitest'
import { test as it } from '../../src/vitest.js'
import { createModel, listEvents, startJob } from '../support/trainer.js'
import { apiClient, bearer } from '../support/api-client.js'

// test/runners/runners.test.ts runs the fixture of the package, with tests that fail.

describe('the Vitest fixture', () => {
  it('gives each test its own emulator', async ({ emulator }) => {
    const client = apiClient(emulator)
    const { id: model_id } = await createModel(client, 'poet')
    expect(emulator.clock.mode).toBe('auto')
    await listEvents(client, await startJob(client, model_id))
    expect(emulator.job({ model: 'poet' })).toHaveEnded()
    expect(emulator).toHaveReceivedRequest({ operation: 'createRlTrainingJob', body: { model_id } })
    expect(emulator.requests).not.toHaveReceivedRequest('createSftTrainingJob')
    expect(emulator.sink).toBeUndefined()
  })

  describe('with a sink that refuses', () => {
    it.override({ emulatorOptions: { scenario: 'failing-job' } })
    it.override({ sinkOptions: { strict: true, token: 'due' }, checks: { deliveries: false } })

    it('hears of each event at once, with the token of its webhook missing', async ({
      emulator,
      sink,
    }) => {
      await emulator.jobs.start()
      const [failed] = await sink.waitFor({ body: { run_state: 'failed' } })
      expect(failed!.latency).toBe(0)
      expect(sink).toHaveReceivedWebhook({ event: 'RUN_STATE' }, { count: 2 })
      expect(sink).not.toHaveReceivedWebhook({ body: { run_state: 'finished' } })
      expect(emulator.webhooks.deliveries[0]!.attempts[0]!.status).toBe(401)
      expect(emulator.job()).toHaveFailed(/out of memory/)
      expect(emulator.job()).not.toHaveEnded()
    })
  })

  describe('without checks', () => {
    it.override({ checks: { pollsPastTheEnd: false } })

    it('allows polls after the end of a job', async ({ emulator }) => {
      const { id } = emulator.jobs.finish(await emulator.jobs.start())
      const url = `${emulator.trainingUrl}/preview/training-jobs/${id}`
      const headers = bearer('a-key')
      for (const _time of ['first', 'second']) await emulator.fetch(url, { headers })
      expect(emulator.requests.count('getTrainingJob')).toBe(2)
    })
  })
})

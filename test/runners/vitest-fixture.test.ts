import { describe, expect } from 'vitest'
import { test as it } from '../../src/vitest.js'
import { createModel, startJob } from '../support/trainer.js'
import { apiClient, bearer } from '../support/api-client.js'

/** The code under test: it submits a batch, and polls until the job ends. */
async function train({
  baseUrl,
  apiKey,
  send,
}: {
  baseUrl: string
  apiKey: string
  send: typeof fetch
}) {
  const client = apiClient({ trainingUrl: baseUrl, inferenceUrl: baseUrl, apiKey }, send)
  const model = await createModel(client, { project: 'demo', name: 'poet', return_existing: true })
  const job = await startJob(client, model.id)
  for (;;) {
    const { status, error_message } = (await client.get(`/preview/training-jobs/${job}`)).body
    if (status === 'failed') throw new Error(error_message)
    if (status === 'ended') return
  }
}

describe('the Vitest fixture', () => {
  it('gives each test its own emulator', async ({ emulator }) => {
    const { id: model_id } = await emulator.models.create({ name: 'poet' })
    expect(emulator.clock.mode).toBe('auto')
    await train({ baseUrl: emulator.trainingUrl, apiKey: emulator.apiKey, send: fetch })
    expect(emulator.job({ model: 'poet' })).toHaveEnded()
    expect(emulator).toHaveReceivedRequest({ operation: 'createRlTrainingJob', body: { model_id } })
  })

  describe('with a scenario', () => {
    it.override({ emulatorOptions: { scenario: 'failing-job', seed: 3 } })

    it('reports a failed job', async ({ emulator }) => {
      const { trainingUrl: baseUrl, apiKey, fetch: send } = emulator
      const outcome = train({ baseUrl, apiKey, send })
      await emulator.settle(outcome)
      await expect(outcome).rejects.toThrow('out of memory')
      expect(emulator.job()).toHaveStarted()
      expect(emulator.job()).toHaveFailed(/out of memory/)
      expect(emulator.job()).not.toHaveEnded()
      expect(emulator).toHaveReceivedRequest('createRlTrainingJob', { times: 1 })
      expect(emulator.requests).not.toHaveReceivedRequest('createSftTrainingJob')
    })
  })

  describe('with a webhook sink', () => {
    it.override({ emulatorOptions: { scenario: 'failing-job' } })

    it('receives the deliveries of the emulator', async ({ emulator, sink }) => {
      const outcome = train({
        baseUrl: emulator.trainingUrl,
        apiKey: emulator.apiKey,
        send: emulator.fetch,
      })
      await expect(outcome).rejects.toThrow('out of memory')
      await sink.waitFor({ event: 'RUN_STATE', body: { run_state: 'failed' } })
      expect(sink).toHaveReceivedWebhook({ event: 'RUN_STATE' }, { count: 2 })
      expect(sink).toHaveReceivedInOrder([
        { body: { run_state: 'running' } },
        { body: { run_state: 'failed' } },
      ])
      expect(sink).toBeValidlySigned()
      expect(sink.deliveries[1]).toBeValidlySigned()
      expect(sink).not.toHaveReceivedWebhook({ body: { run_state: 'finished' } })
    })

    it('waits for later deliveries', async ({ emulator, sink }) => {
      await emulator.jobs.start()
      const [told] = await sink.waitFor({ body: { run_state: 'failed' } })
      expect(told!.latency).toBe(0)
    })

    it('has no sink unless the test uses it', ({ emulator }) => {
      expect(emulator.sink).toBeUndefined()
    })

    describe('with a refusing sink', () => {
      it.override({ sinkOptions: { strict: true, token: 'due' }, checks: { deliveries: false } })

      it('accepts the events of its rules', async ({ emulator, sink }) => {
        await emulator.jobs.start()
        await sink.waitFor({ body: { run_state: 'failed' } })
        expect(emulator.webhooks.deliveries[0]!.attempts[0]!.status).toBe(401)
      })
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

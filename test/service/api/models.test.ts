import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.js'
import { createModel, groups, listEvents, startJob } from '../../support/trainer.js'

const model = { project: 'my-project', name: 'my-model', base_model: 'example/base-8b-instruct' }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describeTransports('the models API', (open) => {
  it("creates a model in the key's own entity", async () => {
    const api = await open()
    const { status, body, headers } = await api.post('/preview/models', model)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      entity: 'local-team',
      ...model,
      run_id: expect.stringMatching(/^[a-z0-9]{8}$/),
    })
  })

  it('creates a model in the entity that the request names', async () => {
    const api = await open()
    const { body } = await api.post('/preview/models', { ...model, entity: 'their-team' })
    expect(body.entity).toBe('their-team')
  })

  it('returns the existing model with return_existing, even if other fields differ', async () => {
    const api = await open()
    const first = await api.post('/preview/models', model)
    const again = { ...model, base_model: 'another/base', return_existing: true }
    const second = await api.post('/preview/models', again)
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
    expect(api.emulator.journal.entries.at(-1)).toMatchObject({
      hint: `the model has the base model ${model.base_model}, not another/base`,
    })
  })

  it('refuses a second model of the same name otherwise', async () => {
    const api = await open()
    await api.post('/preview/models', model)
    const { status, body } = await api.post('/preview/models', model)
    expect(status).toBe(409)
    expect(body).toEqual({ detail: 'Model "my-model" already exists in project "my-project"' })
  })

  it('creates one model from ten concurrent requests', async () => {
    const api = await open()
    const asked = Array.from({ length: 10 }, () =>
      api.post('/preview/models', { ...model, return_existing: true }),
    )
    const ids = (await Promise.all(asked)).map(({ body }) => body.id)
    expect(new Set(ids).size).toBe(1)
    const { body } = await api.get(`/preview/models/${ids[0]}/checkpoints`)
    expect(body.data).toHaveLength(1)
  })

  it('creates a model with the untrained adapter at step 0', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const { body } = await api.get(`/preview/models/${id}/checkpoints`)
    expect(body.data).toEqual([{ id: expect.stringMatching(UUID), step: 0, metrics: {} }])
  })

  it('deletes a model with its checkpoints, and frees its name', async () => {
    const api = await open()
    const { id } = await createModel(api)
    expect((await api.delete(`/preview/models/${id}`)).body).toEqual({
      model_id: id,
      deleted_checkpoints: 1,
      deleted_run: true,
    })
    expect((await api.delete(`/preview/models/${id}`)).status).toBe(404)
    expect((await api.get(`/preview/models/${id}/checkpoints`)).body).toEqual({
      detail: 'Model not found',
    })
    const again = await createModel(api)
    expect(again.id).not.toBe(id)
  })

  it('fails the jobs of a deleted model, running and waiting, and keeps them readable', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const running = await startJob(api, id)
    const waiting = await startJob(api, id)
    api.emulator.clock.advance(1500)
    await api.delete(`/preview/models/${id}`)
    for (const [job, types] of [
      [running, ['training_started', 'training_failed']],
      [waiting, ['training_failed']],
    ] as const) {
      const events = await listEvents(api, job)
      expect(events.map(({ type }) => type)).toEqual(types)
      expect(events.at(-1)!.data).toEqual({ error_message: 'Model was deleted' })
      const { body } = await api.get(`/preview/training-jobs/${job}`)
      expect(body).toMatchObject({ status: 'failed', error_message: 'Model was deleted' })
    }
    api.emulator.clock.advance(60_000)
    expect(await listEvents(api, running)).toHaveLength(2)
  })

  it('adds logged rewards and metrics to the latest checkpoint', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const [first, second] = groups
    const trajectories = [
      { ...first!.trajectories[0], metrics: { correct: true, turns: 3 } },
      { ...first!.trajectories[1], metrics: { correct: false } },
    ]
    const { status, body } = await api.post(`/preview/models/${id}/log`, {
      split: 'val',
      trajectory_groups: [{ trajectories }, second],
      model_id: id,
    })
    expect(status).toBe(200)
    expect(body).toBeNull()
    const page = await api.get(`/preview/models/${id}/checkpoints`)
    expect(page.body.data[0].metrics).toEqual({
      'val/reward': 0.5,
      'val/correct': 0.5,
      'val/turns': 3,
    })
  })

  it('accepts a metric with the name __proto__', async () => {
    const api = await open()
    const { id } = await createModel(api)
    await api.post(
      `/preview/models/${id}/log`,
      '{"split":"val","trajectory_groups":[{"trajectories":[{"metrics":{"__proto__":1}}]}]}',
    )
    const page = await api.get(`/preview/models/${id}/checkpoints`)
    expect(page.body.data[0].metrics).toEqual({ 'val/reward': 0, 'val/__proto__': 1 })
  })

  it('lists base models without a key', async () => {
    const api = await open()
    const answer = await api.get('/preview/base-models', { headers: { authorization: undefined } })
    expect(answer.body).toEqual(['example/base-8b-instruct', 'example/base-14b-instruct'])
  })
})

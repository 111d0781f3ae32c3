import { expect, it } from 'vitest'
import type { EmulatorOptions } from '../../../src/index.js'
import { describeTransports, type Open } from '../../support/transports.js'
import { chat, createModel, groups, listEvents, startJob } from '../../support/trainer.js'

/** A job of a new model. */
async function started(open: Open, options?: EmulatorOptions) {
  const api = await open(options)
  const { id } = await createModel(api)
  return { api, id, job: await startJob(api, id) }
}

describeTransports('training jobs', (open) => {
  it('take one gradient step for each submitted trajectory, then end', async () => {
    const { api, job } = await started(open)
    expect(await listEvents(api, job)).toEqual([])

    api.emulator.clock.advance(60_000)
    const events = await listEvents(api, job)
    expect(events.map(({ type }) => type)).toEqual([
      'training_started',
      ...Array.from({ length: 4 }, () => 'gradient_step'),
      'training_ended',
    ])
    expect(events[0]!.data).toEqual({ num_sequences: 4 })
    expect(events.at(-1)!.data).toEqual({})
    for (const { data } of events.slice(1, -1)) {
      expect(data).toMatchObject({
        reward: 0.5,
        reward_std_dev: 0.25,
        num_groups_submitted: 2,
        num_groups_trainable: 1,
        num_trajectories: 4,
      })
      for (const value of Object.values(data)) expect(value).toBeTypeOf('number')
    }
  })

  it('have their checkpoint listed and served as soon as the end is visible', async () => {
    const { api, id, job } = await started(open)
    const newest = `/preview/models/${id}/checkpoints?limit=1&order=desc`
    for (;;) {
      const ended = (await listEvents(api, job)).at(-1)?.type === 'training_ended'
      expect((await api.get(newest)).body.data[0].step).toBe(ended ? 1 : 0)
      const model = 'artifact:///local-team/my-project/my-model:step1'
      expect((await chat(api.inference, 'Hello', { model })).status).toBe(ended ? 200 : 404)
      if (ended) return
      expect(api.emulator.clock.next()).toBe(true)
    }
  })

  it('have noise of its own in each metric', async () => {
    const noisy = { curve: 'constant', value: 10, noise: 5 } as const
    const timeline = [
      { event: 'training_started' },
      { event: 'gradient_step', metrics: { loss: noisy, entropy: noisy } },
      { event: 'training_ended' },
    ] as const
    const scenario = { name: 'noisy', jobs: [{ match: {}, timeline: [...timeline] }] }
    const { api, job } = await started(open, { scenario })
    api.emulator.clock.advance(60_000)
    const steps = (await listEvents(api, job)).slice(1, -1)
    const loss = steps.map(({ data }) => data['loss'])
    expect(loss.length).toBeGreaterThan(0)
    expect(loss).not.toEqual(steps.map(({ data }) => data['entropy']))
  })

  it('fail as the scenario says, without a checkpoint', async () => {
    const { api, id, job } = await started(open, { scenario: 'failing-job' })
    api.emulator.clock.advance(60_000)
    expect((await api.get(`/preview/models/${id}/checkpoints`)).body.data).toHaveLength(1)
    expect((await api.get(`/preview/training-jobs/${job}`)).body).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('out of memory'),
    })
  })

  it('return their events in pages without overlap or gap, with has_more until the last page', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const trajectories = Array.from({ length: 43 }, (_, index) => ({ reward: index }))
    const { body } = await api.post('/preview/training-jobs', {
      model_id: id,
      trajectory_groups: [{ trajectories }],
    })
    api.emulator.clock.advance(60_000)
    const path = `/preview/training-jobs/${body.id}/events`
    const first = (await api.get(path)).body
    expect(first.data).toHaveLength(20)
    const second = (await api.get(`${path}?after=${first.last_id}`)).body
    expect(second.has_more).toBe(true)
    const third = (await api.get(`${path}?after=${second.last_id}`)).body
    expect(third).toMatchObject({ has_more: false })
    expect(third.data).toHaveLength(5)
    const all = (await api.get(`${path}?limit=100`)).body
    expect([...first.data, ...second.data, ...third.data]).toEqual(all.data)
    expect(new Set(all.data.map((event: { id: string }) => event.id)).size).toBe(45)
    const exact = (await api.get(`${path}?limit=45`)).body
    expect(exact.has_more).toBe(false)
    expect((await api.get(`${path}?after=${exact.last_id}`)).body.data).toEqual([])
  })

  it('refuse an unknown cursor', async () => {
    const { api, job } = await started(open)
    const other = await startJob(api, (await createModel(api, 'other')).id)
    api.emulator.clock.advance(60_000)
    const [foreign] = await listEvents(api, other)
    for (const cursor of ['nonsense', foreign!.id, foreign!.id.toUpperCase(), 'a'.repeat(10_000)]) {
      const { status, body } = await api.get(`/preview/training-jobs/${job}/events?after=${cursor}`)
      expect(status).toBe(404)
      expect(body.detail).toContain('Event not found')
    }
  })

  it('run one after the other on one model, and concurrently on two', async () => {
    const { api, id, job: first } = await started(open)
    const second = await startJob(api, id)
    const elsewhere = await startJob(api, (await createModel(api, 'other')).id)
    api.emulator.clock.advance(1000)
    expect(await listEvents(api, first)).toHaveLength(1)
    expect(await listEvents(api, second)).toHaveLength(0)
    expect(await listEvents(api, elsewhere)).toHaveLength(1)
    expect((await api.get(`/preview/training-jobs/${second}`)).body.status).toBe('queued')
    api.emulator.clock.advance(60_000)
    expect((await listEvents(api, second)).at(-1)!.type).toBe('training_ended')
    const { body } = await api.get(`/preview/models/${id}/checkpoints`)
    expect(body.data.map(({ step }: { step: number }) => step)).toEqual([0, 1, 2])
  })

  it('take the learning rate from their configuration', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const { body } = await api.post('/preview/training-jobs', {
      model_id: id,
      trajectory_groups: groups,
      experimental_config: { learning_rate: 0.00001, epsilon: null, ppo: null },
    })
    api.emulator.clock.advance(60_000)
    expect((await listEvents(api, body.id))[1]!.data.learning_rate).toBe(0.00001)
  })

  it('have a record with their outcome', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const created = await api.post('/preview/training-jobs', {
      model_id: id.toUpperCase(),
      trajectory_groups: groups,
    })
    const queued = {
      id: created.body.id,
      object: 'training_job',
      kind: 'rl',
      model_id: id,
      status: 'queued',
      created_at: '2026-01-01T00:00:00.000Z',
      training_start: null,
      training_end: null,
      error_message: null,
    }
    expect(created.body).toEqual(queued)
    api.emulator.clock.advance(60_000)
    expect((await api.get(`/preview/training-jobs/${created.body.id}`)).body).toEqual({
      ...queued,
      status: 'ended',
      training_start: '2026-01-01T00:00:01.000Z',
      training_end: '2026-01-01T00:00:06.000Z',
    })
  })

  it('are not found by other ids, and need an existing model', async () => {
    const api = await open()
    const missing = '00000000-0000-4000-8000-000000000000'
    for (const path of [missing, `${missing}/events`, 'not-a-uuid']) {
      const { status, body } = await api.get(`/preview/training-jobs/${path}`)
      expect({ status, body }).toEqual({ status: 404, body: { detail: 'Training job not found' } })
    }
    const job = { model_id: missing, trajectory_groups: groups }
    expect((await api.post('/preview/training-jobs', job)).body).toEqual({
      detail: 'Model not found',
    })
  })
})

import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../support/transports.js'
import { createModel, startJob } from '../../support/trainer.js'

/** A model with steps 0 to `steps`. */
async function trainedModel(api: Api, steps: number): Promise<string> {
  const { id } = await createModel(api)
  for (let step = 0; step < steps; step++) await startJob(api, id)
  api.emulator.clock.advance(steps * 60_000)
  return id
}

function list(api: Api, modelId: string, query = '') {
  return api.get(`/preview/models/${modelId}/checkpoints${query}`)
}

function remove(api: Api, modelId: string, ...steps: number[]) {
  return api.delete(`/preview/models/${modelId}/checkpoints`, { steps })
}

async function stepsOf(api: Api, modelId: string, query = ''): Promise<number[]> {
  const { body } = await list(api, modelId, query)
  return body.data.map(({ step }: { step: number }) => step)
}

describeTransports('checkpoints', (open) => {
  it('are listed by step, in both orders, page by page', async () => {
    const api = await open()
    const id = await trainedModel(api, 4)
    expect(await stepsOf(api, id)).toEqual([0, 1, 2, 3, 4])
    expect(await stepsOf(api, id, '?order=desc')).toEqual([4, 3, 2, 1, 0])
    expect(await stepsOf(api, id, '?limit=1&order=desc')).toEqual([4])

    const first = (await list(api, id, '?limit=2')).body
    expect(first).toMatchObject({ object: 'list', has_more: true })
    expect(first.first_id).toBe(first.data[0].id)
    expect(first.last_id).toBe(first.data[1].id)
    expect(await stepsOf(api, id, `?limit=2&after=${first.last_id}`)).toEqual([2, 3])
    expect(await stepsOf(api, id, `?order=desc&after=${first.last_id}`)).toEqual([0])
  })

  it('come to a client that waits for them, under a clock that skips time', async () => {
    const api = await open({ clock: 'auto' })
    const { id } = await createModel(api)
    await startJob(api, id)
    const first = (await list(api, id, '?limit=1')).body
    const before = api.emulator.clock.now()
    await stepsOf(api, id, `?limit=1&after=${first.last_id}`)
    expect(api.emulator.clock.now()).toBe(before)
    let polls = 0
    while ((await stepsOf(api, id)).length === 1 && polls < 20) polls++
    expect(polls).toBeLessThan(20)
    expect(api.emulator.clock.now()).toBeGreaterThan(before)
  })

  it('return an empty page after the last cursor', async () => {
    const api = await open()
    const id = await trainedModel(api, 1)
    const { last_id } = (await list(api, id)).body
    const { status, body } = await list(api, id, `?after=${last_id}`)
    const empty = { object: 'list', data: [], first_id: '', last_id: '', has_more: false }
    expect([status, body]).toEqual([200, empty])
  })

  it('keep the position of a cursor whose checkpoint was deleted', async () => {
    const api = await open()
    const id = await trainedModel(api, 3)
    const { body } = await list(api, id, '?limit=2')
    await remove(api, id, 1)
    expect(await stepsOf(api, id, `?after=${body.last_id}`)).toEqual([2, 3])
    expect(await stepsOf(api, id, `?order=desc&after=${body.last_id}`)).toEqual([0])
  })

  it('show the next checkpoint of its step after a cursor whose checkpoint was deleted', async () => {
    const api = await open()
    const id = await trainedModel(api, 1)
    const { last_id } = (await list(api, id)).body
    await remove(api, id, 1)
    await startJob(api, id)
    api.emulator.clock.advance(60_000)
    expect(await stepsOf(api, id, `?after=${last_id}`)).toEqual([1])
    expect(await stepsOf(api, id, `?order=desc&after=${last_id}`)).toEqual([0])
    const { last_id: newer } = (await list(api, id)).body
    expect(await stepsOf(api, id, `?after=${newer}`)).toEqual([])
  })

  it('refuse an unknown cursor, and treat an empty cursor as none', async () => {
    const api = await open()
    const id = await trainedModel(api, 1)
    const { status, body } = await list(api, id, '?after=nonsense')
    expect(status).toBe(404)
    expect(body.detail).toContain('nonsense')
    expect(await stepsOf(api, id, '?after=')).toEqual([0, 1])
  })

  it('are deleted, and the answer counts them and names the missing ones', async () => {
    const api = await open()
    const id = await trainedModel(api, 3)
    const { body } = await remove(api, id, 1, 1, 2, 9)
    expect(body).toEqual({ deleted_count: 2, not_found_steps: [9] })
    expect(await stepsOf(api, id)).toEqual([0, 3])
  })

  it('are numbered from the latest checkpoint that is left', async () => {
    const api = await open()
    const id = await trainedModel(api, 2)
    const before = (await list(api, id, '?order=desc')).body.data[0]
    await remove(api, id, 2)
    await startJob(api, id)
    api.emulator.clock.advance(60_000)
    const after = (await list(api, id, '?order=desc')).body.data[0]
    expect(after.step).toBe(2)
    expect(after.id).not.toBe(before.id)
  })

  it('have the metrics of the last gradient step', async () => {
    const api = await open()
    const id = await trainedModel(api, 1)
    const { body } = await list(api, id, '?order=desc&limit=1')
    expect(body.data[0].metrics).toMatchObject({ 'train/reward': 0.5, 'train/num_sequences': 4 })
    expect(body.data[0].metrics['train/loss']).toBeTypeOf('number')
  })
})

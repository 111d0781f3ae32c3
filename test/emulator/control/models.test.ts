import { describe, expect, it } from 'vitest'
import { controlled } from './control.js'

describe('models in the control API', () => {
  it('show which checkpoints chat serves, and which are deleted', async () => {
    const { emulator, call } = controlled()
    await call('POST /models', { name: 'poet' })
    await emulator.checkpoints.add({ model: 'poet', served_after: '1m', expires_after: '1h' })
    const listed = async () => (await call('GET /models')).body.models[0]
    expect(await listed()).toMatchObject({
      deleted_steps: [],
      checkpoints: [
        { step: 0, served: true, served_from: null, served_until: null, expires_at: null },
        { step: 1, served: false, served_from: '2026-01-01T00:01:00.000Z' },
      ],
    })
    emulator.clock.advance('1m')
    expect((await listed()).checkpoints[1].served).toBe(true)
    emulator.clock.advance('1h')
    expect(await listed()).toMatchObject({ deleted_steps: [1], checkpoints: [{ step: 0 }] })
  })

  it('lose a checkpoint, by the id or the name of the model', async () => {
    const { call } = controlled()
    const { body: made } = await call('POST /models', { name: 'poet' })
    const { body } = await call('DELETE /models/poet/checkpoints/0')
    expect(body.models).toMatchObject([{ name: 'poet', checkpoints: [], deleted_steps: [0] }])
    expect(await call(`DELETE /models/${made.models[0].id}/checkpoints/0`)).toEqual({
      status: 404,
      body: { detail: 'step: poet has no checkpoint of step 0. It has: none.' },
    })
    expect((await call('DELETE /models/poet/checkpoints/first')).status).toBe(400)
    expect((await call('DELETE /models/poem/checkpoints/0')).body.detail).toBe(
      'model: no model has the id or name "poem". Did you mean "poet"? There is only poet.',
    )
  })

  it('are found by their ids in any case, and listed if none is', async () => {
    const { call } = controlled()
    const { body: job } = await call('POST /jobs', { model: 'poet' })
    const id = job.model.id.toUpperCase()
    expect((await call(`GET /jobs?model=${id}`)).body.jobs).toMatchObject([{ id: job.id }])
    for (let count = 0; count < 11; count++) await call('POST /models', { name: `m${count}` })
    expect((await call(`DELETE /models/${id}`)).status).toBe(200)
    const { body } = await call(`DELETE /models/${id}`)
    expect(body.detail).toMatch(/ There are m1, .*, m10, and 1 more\.$/)
  })

  it.each([
    ['POST /jobs', { model: '' }],
    ['POST /models', { name: '' }],
    ['POST /models', { name: 'poet', base_model: '' }],
  ])('are not made by %s of %o', async (line, body) => {
    const { call, emulator } = controlled()
    expect(await call(line, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('expected a string that is not empty') },
    })
    expect(emulator.db.models.count()).toBe(0)
    expect(emulator.journal.entries).toEqual([])
  })

  it('are deleted, and their unfinished jobs fail', async () => {
    const { call } = controlled()
    const { body: job } = await call('POST /jobs', { model: 'poet' })
    await call('POST /models', { name: 'painter' })
    const { body } = await call('DELETE /models/poet')
    expect(body.models).toMatchObject([{ name: 'painter' }])
    expect((await call(`GET /jobs/${job.id}`)).body).toMatchObject({
      status: 'failed',
      error_message: 'Model was deleted',
    })
    expect((await call('DELETE /models/poet')).status).toBe(404)
  })
})

it.each([
  [{ timeline: [{ event: 'gradient_step' }] }, 'timeline[0].event: a gradient_step needs'],
  [{ timeline: [] }, 'timeline'],
  [{ trajectory_groups: [{ trajectories: 1 }] }, 'trajectory_groups.0.trajectories: Input should'],
  [{ kind: 'sft', trajectory_groups: [] }, 'trajectory_groups: an SFT job has none.'],
])(
  'a new job in the control API is refused with %j, and creates no model',
  async (body, reason) => {
    const { call } = controlled()
    const refused = await call('POST /jobs', { model: 'poet', ...body })
    expect(refused).toEqual({ status: 400, body: { detail: expect.stringContaining(reason) } })
    expect((await call('GET /models')).body.models).toEqual([])
  },
)

it('the explanation of a signature says what is wrong, without the secret', async () => {
  const { call } = controlled()
  await call('POST /secrets', { name: 'SIGNING', value: 'keep-me-secret' })
  await call('POST /webhooks', { name: 'deploy', url: 'http://receiver.test', secret: 'SIGNING' })
  const explain = (signature: string) =>
    call('POST /webhooks/deploy/explain', {
      headers: { 'x-service-signature': signature },
      body: '{}',
    })
  const wrong = await explain('sha256=0123')
  expect(wrong.body).toMatchObject({ verdict: 'invalid', diagnosis: expect.any(String) })
  expect(JSON.stringify(wrong.body)).not.toContain('keep-me-secret')
  // HMAC-SHA256 of "{}" with the secret.
  const right = await explain('ca31675679a87813d705f691435cc8dbb31c34206279045733a3683a3b61180f')
  expect(right.body).toEqual({ verdict: 'valid', diagnosis: null })
  const unknown = await call('POST /webhooks/deplo/explain', { headers: {}, body: '' })
  expect(unknown.status).toBe(404)
})

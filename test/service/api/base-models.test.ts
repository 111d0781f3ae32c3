import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { describeTransports, type Api } from '../../support/transports.js'

const messages = [{ role: 'user', content: 'Name a color.' }]
const base = 'Qwen/Qwen3-14B-Instruct'
const poet = { project: 'demo', name: 'poet', base_model: base }

async function statusOf(api: Api, model: string): Promise<number> {
  return (await api.inference.post('/chat/completions', { model, messages })).status
}

async function listed(api: Api): Promise<string[]> {
  const { body } = await api.inference.get('/models')
  return body.data.map(({ id }: { id: string }) => id)
}

describeTransports('a base model that the scenario does not list', (open) => {
  it('answers under its own name while a model is made from it', async () => {
    const api = await open()
    expect(await statusOf(api, base)).toBe(404)
    const one = await api.post('/preview/models', poet)
    const two = await api.post('/preview/models', { ...poet, name: 'critic' })
    expect(await statusOf(api, base)).toBe(200)
    expect(await statusOf(api, 'artifact:///local-team/demo/poet')).toBe(200)
    expect(await listed(api)).toEqual([
      'example/base-8b-instruct',
      'example/base-14b-instruct',
      base,
      'artifact:///local-team/demo/poet:step0',
      'artifact:///local-team/demo/critic:step0',
    ])
    await api.delete(`/preview/models/${one.body.id}`)
    expect(await statusOf(api, base)).toBe(200)
    await api.delete(`/preview/models/${two.body.id}`)
    expect(await statusOf(api, base)).toBe(404)
    expect(await listed(api)).toEqual(['example/base-8b-instruct', 'example/base-14b-instruct'])
  })

  it('answers if the scenario has a model that is made from it', async () => {
    const api = await open({ scenario: { name: 'mine', models: [poet] } })
    expect(await statusOf(api, base)).toBe(200)
    api.emulator.reset('happy-path')
    expect(await statusOf(api, base)).toBe(404)
  })

  it('answers after a restore, and until its last model is deleted there', async () => {
    const api = await open()
    const { body } = await api.post('/preview/models', poet)
    const snapshot = await api.emulator.snapshot()
    api.emulator.reset()
    expect(await statusOf(api, base)).toBe(404)
    api.emulator.restore(snapshot)
    expect(await statusOf(api, base)).toBe(200)
    await api.delete(`/preview/models/${body.id}`)
    expect(await statusOf(api, base)).toBe(404)
  })
})

describeTransports('serve_any_model', (open) => {
  const any = { name: 'mine', chat: { serve_any_model: true } }

  it('answers any name as a base model', async () => {
    const api = await open({ scenario: any })
    for (const model of ['o3', 'gpt-5.4', 'llama3:8b', 'some-vendor/some/model', base]) {
      const { status, body } = await api.post('/chat/completions', { model, messages })
      expect([status, body.model]).toEqual([200, model])
    }
    expect(await listed(api)).toEqual(['example/base-8b-instruct', 'example/base-14b-instruct'])
  })

  it('still refuses a name that can only mean a trained model', async () => {
    const api = await open({ scenario: any })
    await api.post('/preview/models', poet)
    expect(await statusOf(api, 'local-team/demo/poet')).toBe(200)
    for (const model of [
      'artifact:///local-team/demo/poett',
      'wandb-artifact:///other-team/demo/poet:step1',
      'local-team/demo/poett',
      'local-team/demo/poet:step9',
    ]) {
      expect(await statusOf(api, model)).toBe(404)
    }
  })

  it('matches chat rules by the name in the request', async () => {
    const rules = [{ match: { model: 'o3' }, answer: 'I am the judge.' }, { answer: 'I am not.' }]
    const api = await open({ scenario: { name: 'mine', chat: { serve_any_model: true, rules } } })
    const { body } = await api.post('/chat/completions', { model: 'o3', messages })
    expect(body.choices[0].message.content).toBe('I am the judge.')
  })

  it.each([
    [{ serveAnyModel: true }, 200],
    [{ serveAnyModel: true, scenario: { name: 'x', chat: { serve_any_model: false } } }, 200],
    [{ serveAnyModel: false, scenario: any }, 404],
    [{ scenario: any }, 200],
    [{}, 404],
  ])('of %j gives %d', async (options, status) => {
    const api = await open(options)
    expect(await statusOf(api, 'o3')).toBe(status)
  })

  it('is not part of a snapshot if it is an option', async () => {
    const api = await open({ serveAnyModel: true })
    const snapshot = await api.emulator.snapshot()
    expect(JSON.stringify(snapshot)).not.toContain('serve_any_model')
    api.emulator.restore(snapshot)
    expect(await statusOf(api, 'o3')).toBe(200)
    api.emulator.reset()
    expect(await statusOf(api, 'o3')).toBe(200)
  })
})

it.each([
  [{ base_models: [{ context_window: 5 }] }, /base_models\[0\]\.id/],
  [{ base_models: [{ id: 'a/b', context_window: 0 }] }, /base_models\[0\]\.context_window/],
  [{ base_models: [5] }, /an id, or an object such as/],
])('refuses a scenario with %j', (part, message) => {
  expect(() => createEmulator({ scenario: { name: 'mine', ...part } as never })).toThrow(message)
})

it('can be those of the documentation, with their context windows', async () => {
  const { body } = await clientOf(createEmulator({ baseModels: 'documented' })).post(
    '/chat/completions',
    { model: 'meta-llama/Llama-3.1-8B-Instruct', messages, max_tokens: 200_000 },
  )
  expect(body.error.message).toContain('131072')
  expect(() => createEmulator({ baseModels: 'document' as 'documented' })).toThrow(
    'createEmulator: option "baseModels" is "document"',
  )
})

import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { checkScenario } from '../../src/service/scenario/check-scenario.js'
import { describeTransports } from '../support/transports.js'
import { createModel, listEvents, startJob } from '../support/trainer.js'
import { served } from '../support/served.js'
import { until } from '../support/until.js'

describeTransports('a change of the scenario', (open) => {
  it('affects new jobs, and not running ones', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const running = await startJob(api, id)
    const timeline = [{ event: 'training_failed', error_message: 'as told' }]
    api.emulator.follow(checkScenario({ name: 'other', jobs: [{ timeline }] }))
    const next = await startJob(api, id)
    api.emulator.clock.advance(60_000)
    expect((await listEvents(api, running)).at(-1)!.type).toBe('training_ended')
    expect((await listEvents(api, next)).map(({ type }) => type)).toEqual(['training_failed'])
  })

  it('adds its base models and models to the existing ones', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const model = { project: 'their-project', name: 'their-model', base_model: 'base' }
    const followed = { name: 'other', base_models: ['other/base'], models: [model] }
    api.emulator.follow(checkScenario(followed))
    expect((await api.get('/preview/base-models')).body).toEqual(['other/base'])
    const again = await api.post('/preview/models', model)
    expect(again.status).toBe(409)
    expect((await api.get(`/preview/models/${id}/checkpoints`)).status).toBe(200)
  })

  it('applies the last of several concurrent changes', async () => {
    const api = await open()
    for (const base of ['one', 'two', 'three']) {
      api.emulator.follow(checkScenario({ name: base, base_models: [base] }))
    }
    expect((await api.get('/preview/base-models')).body).toEqual(['three'])
    const { body } = await api.inference.get('/models')
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['three'])
  })

  it('is complete when ready() resolves, also if it came while an earlier one was awaited', async () => {
    const api = await open()
    api.emulator.follow(checkScenario({ name: 'two', base_models: ['two'] }))
    const ready = api.emulator.ready()
    api.emulator.follow(checkScenario({ name: 'three', base_models: ['three'] }))
    await ready
    expect((await api.get('/preview/base-models')).body).toEqual(['three'])
  })
})

describeTransports('a reset', (open) => {
  it('empties the journal, and keeps its listeners', async () => {
    const api = await open()
    const heard: string[] = []
    api.emulator.journal.subscribe((entry) => heard.push(entry.kind))
    await api.get('/health')
    api.emulator.reset()
    expect(api.emulator.journal.entries).toEqual([])
    await api.get('/health')
    expect(heard).toEqual(['request', 'request'])
    expect(api.emulator.journal.entries).toHaveLength(1)
  })

  it('breaks off responses in progress', async () => {
    const api = await open({ clock: 'real', speed: 1_000_000 })
    let file: ServerResponse | undefined
    const training_data_url = await served((_request, response) => (file = response))
    const { id: model_id } = await createModel(api)
    const submitted = api
      .post('/preview/sft-training-jobs', { model_id, training_data_url })
      .catch(() => 'lost')
    await until('the file was asked for', () => file !== undefined)
    api.emulator.reset()
    file!.end('{"messages": [{"role": "user", "content": "hi"}]}')
    expect(await submitted).toBe('lost')
    await api.emulator.settle()
    expect(api.emulator.journal.entries.filter(({ kind }) => kind === 'job')).toEqual([])
  })
})

import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import type { FaultInput } from '../../../../src/service/scenario/scenario.js'
import { createModel, groups } from '../../../support/trainer.js'
import { describeTransports, type Api } from '../../../support/transports.js'

const one: FaultInput = { fault: 'job_limit', most: 1 }

async function submit(api: Api, name: string, project = 'my-project') {
  const { id } = await createModel(api, { name, project, return_existing: true })
  return api.post('/preview/training-jobs', { model_id: id, trajectory_groups: groups })
}

describeTransports('a limit of jobs', (open) => {
  it('refuses a new job while another one is unfinished, and no other call', async () => {
    const api = await open()
    const fault = api.emulator.faults.add({ ...one, message: 'only one job of {{project}}' })
    expect((await submit(api, 'poet')).status).toBe(200)
    const refused = await submit(api, 'painter')
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({ detail: 'only one job of my-project' })
    expect(refused.headers.get('retry-after')).toBeNull()
    expect((await api.get('/preview/base-models')).status).toBe(200)
    expect(fault.hits).toBe(1)
    api.emulator.clock.advance('1m')
    expect((await submit(api, 'painter')).status).toBe(200)
  })

  it('counts the jobs of a model or of a project apart', async () => {
    const api = await open()
    const perModel = api.emulator.faults.add({ ...one, per: 'model' })
    await submit(api, 'poet')
    expect((await submit(api, 'poet')).status).toBe(429)
    expect((await submit(api, 'painter')).status).toBe(200)
    perModel.remove()
    api.emulator.faults.add({ ...one, per: 'project' })
    expect((await submit(api, 'writer')).status).toBe(429)
    expect((await submit(api, 'writer', 'another')).status).toBe(200)
  })

  it('counts a failed job as finished, and SFT jobs too', async () => {
    const api = await open()
    const fault = api.emulator.faults.add(one)
    await submit(api, 'poet')
    const { id } = await createModel(api, { name: 'poet', return_existing: true })
    const sft = { model_id: id, training_data_url: 'a://b/c/d' }
    expect((await api.post('/preview/sft-training-jobs', sft)).status).toBe(429)
    api.emulator.jobs.fail()
    expect((await api.post('/preview/sft-training-jobs', sft)).status).toBe(200)
    expect((await submit(api, 'poet')).status).toBe(429)
    expect(fault.hits).toBe(2)
  })

  it('lets a client that only repeats its call see the end under the auto clock', async () => {
    const api = await open({ clock: 'auto' })
    api.emulator.faults.add(one)
    await submit(api, 'poet')
    const statuses: number[] = []
    while (statuses.at(-1) !== 200) statuses.push((await submit(api, 'painter')).status)
    // One refusal for each event that was left: the start, four steps and the end.
    expect(statuses).toEqual([429, 429, 429, 429, 429, 429, 200])
  })
})

it('refuses a limit for each key', () => {
  const emulator = createEmulator()
  expect(() => emulator.faults.add({ ...one, per: ['project', 'key'] })).toThrow(
    'per: expected all, model, project, or a list of them',
  )
})

import { expect, it } from 'vitest'
import { operations, operationsIn } from '../../../src/service/api/table.js'
import { contractVersions } from '../../../src/service/contract/versions.js'
import { createModel } from '../../support/trainer.js'
import { describeTransports, type Api } from '../../support/transports.js'

const job = '/preview/training-jobs'
const sftJob = '/preview/sft-training-jobs'
const training_data_url = 'artifact:///local-team/my-project/data:v0'

const trained = [{ reward: 0 }, { reward: 1 }]

/** A field that newer clients send, in a group. */
const exception = { type: 'ValueError', message: 'no', traceback: '' }

describeTransports('the contract 2026-01', (open) => {
  const opened = async (): Promise<{ api: Api; model_id: string }> => {
    const api = await open({ contract: '2026-01' })
    const { id: model_id } = await createModel(api)
    return { api, model_id }
  }

  it('demands trajectories in a group', async () => {
    const { api, model_id } = await opened()
    const problem = {
      type: 'missing',
      loc: ['body', 'trajectory_groups', 0, 'trajectories'],
      msg: 'Field required',
      input: {},
    }
    const body = { model_id, trajectory_groups: [{}] }
    expect(await api.post(job, body)).toMatchObject({ status: 422, body: { detail: [problem] } })
    const logged = await api.post(`/preview/models/${model_id}/log`, { split: 'val', ...body })
    expect(logged).toMatchObject({ status: 422, body: { detail: [problem] } })
  })

  it('refuses metadata that is not text, a number, a boolean or null, once for each type', async () => {
    const { api, model_id } = await opened()
    const send = (metadata: unknown): ReturnType<Api['post']> =>
      api.post(job, { model_id, trajectory_groups: [{ trajectories: [{ metadata }] }] })
    expect((await send({ a: 'x', b: 1, c: 1.5, d: true, e: null })).status).toBe(200)
    const { status, body } = await send({ a: [1] })
    const place = ['body', 'trajectory_groups', 0, 'trajectories', 0, 'metadata', 'a']
    const problems = ['float', 'int', 'str', 'bool'].map((type) => ({
      loc: [...place, type],
      input: [1],
    }))
    expect({ status, body }).toMatchObject({ status: 422, body: { detail: problems } })
    expect(body.detail.map((each: { msg: string }) => each.msg)).toEqual([
      'Input should be a valid number',
      'Input should be a valid integer',
      'Input should be a valid string',
      'Input should be a valid boolean',
    ])
  })

  it('ignores the fields of newer contracts, with any value, and notes it', async () => {
    const { api, model_id } = await opened()
    const newer = { exceptions: 'none', metadata: [], metrics: null, logs: 1 }
    const group = { trajectories: trained.map((each) => ({ ...each, exchanges: 'x' })), ...newer }
    expect((await api.post(job, { model_id, trajectory_groups: [group] })).status).toBe(200)
    const config = { assistant_turns: 'first', metric_logging: { enabled: 'perhaps' } }
    expect((await api.post(sftJob, { model_id, training_data_url, config })).status).toBe(200)
    const [rl, sft] = api.emulator.requests.all().slice(-2)
    expect(rl!.effects.at(-1)).toBe(
      'ignored fields that contract 2026-01 does not have: trajectory_groups[].trajectories[].exchanges, ' +
        'trajectory_groups[].exceptions, trajectory_groups[].metadata, trajectory_groups[].metrics, trajectory_groups[].logs',
    )
    expect(sft!.effects).toContain(
      'ignored fields that contract 2026-01 does not have: config.assistant_turns',
    )
  })

  it('does not count what it ignores', async () => {
    const { api, model_id } = await opened()
    const groups = [{ trajectories: trained, exceptions: [exception, exception] }]
    await api.post(job, { model_id, trajectory_groups: groups })
    api.emulator.clock.advance('1m')
    const { body } = await api.get(`/preview/models/${model_id}/checkpoints?order=desc&limit=1`)
    const [{ metrics }] = body.data
    expect(metrics).toMatchObject({ 'train/num_trajectories': 2 })
    expect(metrics).not.toHaveProperty('train/exception_rate')
  })

  it('serves its own OpenAPI document', async () => {
    const { api } = await opened()
    const body: unknown = await at(api, '/openapi.json')
    const { schemas } = (body as { components: { schemas: Record<string, Schema> } }).components
    expect(Object.keys(schemas['TrajectoryGroup']!.properties)).toEqual(['trajectories'])
    expect(schemas['TrajectoryGroup']!.required).toEqual(['trajectories'])
    expect(Object.keys(schemas['SFTTrainingConfig']!.properties)).not.toContain('assistant_turns')
    expect(schemas['SFTMetricLoggingConfig']).toBeUndefined()
  })

  it('is in the information about the emulator, and survives a reset', async () => {
    const { api } = await opened()
    api.emulator.reset('failing-job')
    expect(api.emulator.contract).toBe('2026-01')
    expect(await at(api, '/_emulator/info')).toMatchObject({ contract: '2026-01' })
    const { id: model_id } = await createModel(api)
    expect((await api.post(job, { model_id, trajectory_groups: [{}] })).status).toBe(422)
  })

  it('is that of every world', async () => {
    const api = await open({ contract: '2026-01', isolate: 'api-key' })
    const { id: model_id } = await createModel(api)
    expect((await api.post(job, { model_id, trajectory_groups: [{}] })).status).toBe(422)
  })

  it('applies to jobs that are started without a request', async () => {
    const { api } = await opened()
    const metadata = { nested: { a: 1 } }
    const start = api.emulator.jobs.start({
      trajectory_groups: [{ trajectories: [{ metadata, reward: 0 }, { reward: 1 }] }],
    })
    await expect(start).rejects.toThrow('trajectory_groups.0.trajectories.0.metadata.nested.float')
    const sent = { trajectory_groups: [{ trajectories: [{ metadata }] }] }
    const url = new URL('/_emulator/jobs', api.emulator.trainingUrl)
    const created = await api.fetch(url, { method: 'POST', body: JSON.stringify(sent) })
    expect(created.status).toBe(400)
    expect(await created.text()).toContain('metadata.nested.float')
  })
})

async function at(api: Api, path: string): Promise<unknown> {
  return (await api.fetch(new URL(path, api.emulator.trainingUrl))).json()
}

interface Schema {
  properties: object
  required?: string[]
}

it.each(contractVersions)('the contract %s has all operations, in the same order', (version) => {
  expect(operationsIn(version).map(({ id }) => id)).toEqual(operations.map(({ id }) => id))
})

describeTransports('the newest contract', (open) => {
  it('is the default, and accepts what newer clients send', async () => {
    const api = await open()
    expect(api.emulator.contract).toBe('2026-11')
    const { id: model_id } = await createModel(api)
    const trajectory_groups = [
      {},
      { trajectories: [{ metadata: { nested: { a: [1, null] } } }], exceptions: [exception] },
    ]
    expect((await api.post(job, { model_id, trajectory_groups })).status).toBe(200)
    expect(api.emulator.requests.all().at(-1)!.effects.join('\n')).not.toContain('ignored')
  })

  it('checks the fields that older contracts ignore', async () => {
    const api = await open({ contract: '2026-11' })
    const { id: model_id } = await createModel(api)
    const config = { assistant_turns: 'first' }
    const { status } = await api.post(sftJob, { model_id, training_data_url, config })
    expect(status).toBe(422)
  })
})

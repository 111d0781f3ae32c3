import { expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { clientOf, withKey, type ApiClient, type CallOptions } from '../../support/api-client.js'
import { chat, createModel, groups, startJob } from '../../support/trainer.js'
import { describeTransports } from '../../support/transports.js'

/** Two teams share an emulator. Each has its own key. */
const scenario = {
  name: 'two-teams',
  auth: {
    keys: {
      'key-of-ada': { user: 'ada', entity: 'research' },
      'key-of-bob': { user: 'bob', entity: 'production' },
    },
    separateEntities: true,
  },
} satisfies ScenarioInput

const ada = withKey('key-of-ada')
const bob = withKey('key-of-bob')

const poet = { project: 'verse', name: 'poet', base_model: 'example/base-8b-instruct' }
const messages = [{ role: 'user', content: 'Hi' }]
const notFound = { status: 404, body: { detail: 'Model not found' } }

/** The model of Ada and a job of it. */
async function submit(api: ApiClient): Promise<{ model: string; job: string }> {
  const { id: model } = await createModel(api, poet, ada)
  return { model, job: await startJob(api, model, groups, ada) }
}

/** Submits a job that learns with a reference. */
function train(
  api: ApiClient,
  { model, key, path }: { model: string; key: CallOptions; path: string | null },
) {
  const experimental_config = { kl_ref_adapter_path: path, kl_penalty_coef: 0.1 }
  const job = { model_id: model, trajectory_groups: groups, experimental_config }
  return api.post('/preview/training-jobs', job, key)
}

/** What a key is answered wherever a call has the id of a model or of a job. */
async function answersTo(key: CallOptions, api: ApiClient, ids: { model: string; job: string }) {
  const job = `/preview/training-jobs/${ids.job}`
  const model = `/preview/models/${ids.model}`
  const model_id = ids.model
  const log = { split: 'val', metrics: { a: 1 }, trajectory_groups: [] }
  const rl = { model_id, trajectory_groups: groups }
  const sft = { model_id, training_data_url: 'artifact:///a/b/c' }
  const answers = [
    await api.get(job, key),
    await api.get(`${job}/events`, key),
    await api.get(`${model}/checkpoints`, key),
    await api.post(`${model}/log`, log, key),
    await api.post('/preview/training-jobs', rl, key),
    await api.post('/preview/sft-training-jobs', sft, key),
    await api.delete(`${model}/checkpoints`, { steps: [7] }, key),
    await api.delete(model, undefined, key),
  ]
  return answers.map(({ status, body }) => ({ status, body: body as unknown }))
}

describeTransports('separate entities', (open) => {
  it('hide by each id what another entity owns, as if it did not exist', async () => {
    const api = await open({ scenario })
    const { model, job } = await submit(api)
    const checkpoints = () => api.get(`/preview/models/${model}/checkpoints`, ada)
    const before = (await checkpoints()).body
    const detail = expect.stringMatching(/^(?:Model|Training job) not found$/)
    for (const ids of [
      { model, job },
      { model: model.toUpperCase(), job: job.toUpperCase() },
    ]) {
      const others = await answersTo(bob, api, ids)
      expect(others).toEqual(others.map(() => ({ status: 404, body: { detail } })))
    }
    expect((await checkpoints()).body).toEqual(before)
    const own = await answersTo(ada, api, { model, job })
    expect(own.map(({ status }) => status)).toEqual(own.map(() => 200))
  })

  it('hide it by each name', async () => {
    const api = await open({ scenario })
    const { model } = await submit(api)
    await api.emulator.settle()
    const own = [
      'research/verse/poet',
      'artifact:///research/verse/poet',
      'artifact:///research/verse/poet:latest',
      'artifact:///research/verse/poet:v0',
      'other-artifact:///research/verse/poet:step0',
    ]
    const nobodys = [
      'poet',
      'RESEARCH/verse/poet',
      'artifact:///Research/Verse/Poet',
      'artifact:///research/verse/../verse/poet',
      `artifact://_id/${model}`,
      model,
    ]
    for (const name of [...own, ...nobodys]) {
      const asked = { model: name, messages }
      const byAda = await api.inference.post('/chat/completions', asked, ada)
      const byBob = await api.inference.post('/chat/completions', asked, bob)
      const expected = own.includes(name) ? 200 : 404
      expect([name, byAda.status, byBob.status]).toEqual([name, expected, 404])
      expect(byBob.body).toMatchObject({
        error: { message: `The model \`${name}\` does not exist.`, type: 'NotFoundError' },
      })
    }
    expect(api.emulator.trace()).toContain('the key of this call may not use models of research')
  })

  it.each([
    {},
    { 'openai-project': 'research/verse' },
    { 'service-project': 'research/verse' },
    { 'openai-organization': 'research' },
    { 'service-entity': 'research' },
  ])('hide it with the headers %j', async (more) => {
    const api = await open({ scenario })
    await submit(api)
    const asBob = { headers: { ...bob.headers, ...more } }
    const asked = { model: 'poet', messages }
    expect((await api.inference.post('/chat/completions', asked, asBob)).status).toBe(404)
    const listedFor = async (key: CallOptions) =>
      JSON.stringify((await api.inference.get('/models', key)).body)
    expect(await listedFor(asBob)).not.toContain('research')
    expect(await listedFor(ada)).toContain('research')
  })

  it('let each entity have a model of the same name, and none create one for another', async () => {
    const api = await open({ scenario })
    await submit(api)
    const own = await api.post('/preview/models', poet, bob)
    expect(own).toMatchObject({ status: 200, body: { entity: 'production' } })
    for (const more of [{ return_existing: true }, { name: 'fresh' }]) {
      const foreign = { ...poet, entity: 'research', ...more }
      expect(await api.post('/preview/models', foreign, bob)).toMatchObject({
        status: 404,
        body: { detail: 'Entity not found: "research"' },
      })
    }
  })

  it('let no job learn from a checkpoint of another entity', async () => {
    const api = await open({ scenario })
    const { model: foreign } = await submit(api)
    const { id: own } = await createModel(api, poet, bob)
    const byBob = (path: string | null) => train(api, { model: own, key: bob, path })
    for (const path of [
      'artifact:///research/verse/poet:step0',
      'artifact:///research/verse/poet',
      'research/verse/poet:latest',
      'other:///research/verse/poet:v0',
      'artifact:///RESEARCH/verse/poet',
      // No such checkpoint: the answer is the same, so that it tells nothing.
      'artifact:///research/verse/nobody:step7',
    ]) {
      expect([path, await byBob(path)]).toMatchObject([path, notFound])
    }
    for (const path of ['artifact:///production/verse/poet:step0', 'poet', null]) {
      expect([path, (await byBob(path)).status]).toEqual([path, 200])
    }
    const path = 'artifact:///research/verse/poet:step0'
    expect((await train(api, { model: foreign, key: ada, path })).status).toBe(200)
  })

  it('are off by default: every key may use everything', async () => {
    const { keys } = scenario.auth
    const api = await open({ scenario: { name: 'open', auth: { keys } } })
    const ids = await submit(api)
    const path = 'artifact:///research/verse/poet:step0'
    expect((await train(api, { model: ids.model, key: bob, path })).status).toBe(200)
    const asked = { model: 'research/verse/poet' }
    expect((await chat(api, 'Hi', asked)).status).toBe(200)
    const answers = await answersTo(bob, api, ids)
    expect(answers.map((each) => each.status)).toEqual(answers.map(() => 200))
  })

  it('stay after a snapshot, and end with one without secrets', async () => {
    const api = await open({ scenario })
    const { model } = await submit(api)
    const path = `/preview/models/${model}/checkpoints`
    for (const [secrets, status] of [
      [true, 404],
      [false, 200],
    ] as const) {
      await using other = createEmulator({ clock: 'manual' })
      other.restore(await api.emulator.snapshot({ secrets }))
      expect((await clientOf(other).get(path, bob)).status).toBe(status)
      expect((await clientOf(other).get(path, ada)).status).toBe(200)
    }
  })
})

it('separate entities work in the world of each key', async () => {
  await using emulator = createEmulator({ clock: 'manual', scenario, isolate: 'api-key' })
  const { model } = await submit(clientOf(emulator))
  const path = `/preview/models/${model}/checkpoints`
  expect((await clientOf(emulator).get(path, ada)).status).toBe(200)
  expect((await clientOf(emulator).get(path, bob)).status).toBe(404)
})

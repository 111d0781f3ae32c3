import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.js'
import { createEmulator } from '../../../src/index.js'
import { describeTransports, type Api } from '../../support/transports.js'

/** Two teams share an emulator. Each has its own key. */
const twoTeams = {
  name: 'two-teams',
  auth: {
    keys: {
      'key-of-ada': { user: 'ada', entity: 'research' },
      'key-of-bob': { user: 'bob', entity: 'production' },
    },
    separateEntities: true,
  },
} satisfies ScenarioInput

const ada = { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' }
const bob = { ...ada, authorization: 'Bearer key-of-bob' }
type Headers = typeof ada

const verse = { project: 'verse', name: 'poet', base_model: 'example/base-8b-instruct' }
const group = (reward: number) => ({
  messages_and_choices: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ],
  reward,
})

async function call(
  api: Pick<Api, 'fetch' | 'emulator'>,
  headers: Headers,
  request: string,
  body?: unknown,
) {
  const [method, path] = request.split(' ') as [string, string]
  const { trainingUrl, inferenceUrl } = api.emulator
  const url = (path === '/models' ? inferenceUrl : trainingUrl) + path
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await api.fetch(url, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Everything that needs a model or a job, by its id. */
async function useAll(
  api: Pick<Api, 'fetch' | 'emulator'>,
  headers: Headers,
  ids: { model: string; job: string },
) {
  const { model, job } = ids
  const log = { split: 'val', trajectory_groups: [] }
  const calls: (readonly [string, unknown?])[] = [
    [`GET /preview/training-jobs/${job}`],
    [`GET /preview/training-jobs/${job}/events`],
    [`GET /preview/models/${model}/checkpoints`],
    [`POST /preview/models/${model}/log`, log],
    ['POST /preview/training-jobs', { model_id: model, trajectory_groups: [] }],
    [
      'POST /preview/sft-training-jobs',
      { model_id: model, training_data_url: 'artifact:///a/b/c' },
    ],
    [
      'POST /chat/completions',
      { model: 'research/verse/poet', messages: [{ role: 'user', content: 'Hi' }] },
    ],
    [`DELETE /preview/models/${model}/checkpoints`, { steps: [7] }],
    [`DELETE /preview/models/${model}`],
  ]
  const statuses: [string, number][] = []
  for (const [request, body] of calls) {
    const [method, path] = request.split(' ') as [string, string]
    const { status } = await call(api, headers, request, body)
    statuses.push([`${method} ${path.replace(/[0-9a-f-]{36}/, 'id')}`, status])
  }
  return statuses
}

async function submit(api: Pick<Api, 'fetch' | 'emulator'>) {
  const { body: model } = await call(api, ada, 'POST /preview/models', verse)
  const groups = [{ trajectories: [group(0), group(1)] }]
  const sent = { model_id: model['id'], trajectory_groups: groups }
  const { body: job } = await call(api, ada, 'POST /preview/training-jobs', sent)
  return { entity: model['entity'], model: model['id'] as string, job: job['id'] as string }
}

describeTransports('separate entities', (open) => {
  it('hide what another entity owns', async () => {
    const api = await open({ scenario: twoTeams })
    const { entity, ...ids } = await submit(api)
    expect(entity).toBe('research')
    const others = await useAll(api, bob, ids)
    expect(others.filter(([, status]) => status !== 404)).toEqual([])
    const own = await useAll(api, ada, ids)
    expect(own.filter(([, status]) => status !== 200)).toEqual([])
  })

  it('answer as if a model of another entity did not exist', async () => {
    const api = await open({ scenario: twoTeams })
    const { model } = await submit(api)
    const { body } = await call(api, bob, `DELETE /preview/models/${model}`)
    expect(body).toEqual({ detail: 'Model not found' })
    const listed = await call(api, bob, 'GET /models')
    expect(JSON.stringify(listed.body)).not.toContain('research')
    expect(JSON.stringify((await call(api, ada, 'GET /models')).body)).toContain('research')
  })

  it('have a hint in the journal for who runs the emulator', async () => {
    const api = await open({ scenario: twoTeams })
    await submit(api)
    const chat = { model: 'research/verse/poet', messages: [{ role: 'user', content: 'Hi' }] }
    expect(await call(api, bob, 'POST /chat/completions', chat)).toMatchObject({ status: 404 })
    expect(api.emulator.trace()).toContain('the key of this call may not use models of research')
  })

  it('let each entity have a model of the same name, and none create one for another', async () => {
    const api = await open({ scenario: twoTeams })
    await submit(api)
    const own = await call(api, bob, 'POST /preview/models', verse)
    expect(own).toMatchObject({ status: 200, body: { entity: 'production' } })
    const foreign = { ...verse, entity: 'research', return_existing: true }
    expect(await call(api, bob, 'POST /preview/models', foreign)).toEqual({
      status: 404,
      body: { detail: 'Entity not found: "research"' },
    })
  })

  it('let no job learn from a checkpoint of another entity', async () => {
    const api = await open({ scenario: twoTeams })
    const { model: foreign } = await submit(api)
    const { body: own } = await call(api, bob, 'POST /preview/models', verse)
    const train = (headers: Headers, model_id: unknown, kl_ref_adapter_path: string | null) =>
      call(api, headers, 'POST /preview/training-jobs', {
        model_id,
        trajectory_groups: [{ trajectories: [group(0), group(1)] }],
        experimental_config: { kl_ref_adapter_path, kl_penalty_coef: 0.1 },
      })
    const refused = { status: 404, body: { detail: 'Model not found' } }
    for (const path of [
      'artifact:///research/verse/poet:step0',
      'artifact:///research/verse/poet',
      'research/verse/poet:latest',
      'other:///research/verse/poet:v0',
      'artifact:///RESEARCH/verse/poet',
      // No such checkpoint: the answer is the same, so that it tells nothing.
      'artifact:///research/verse/nobody:step7',
    ]) {
      expect([path, await train(bob, own['id'], path)]).toEqual([path, refused])
    }
    for (const path of ['artifact:///production/verse/poet:step0', 'poet', null]) {
      expect([path, (await train(bob, own['id'], path)).status]).toEqual([path, 200])
    }
    expect((await train(ada, foreign, 'artifact:///research/verse/poet:step0')).status).toBe(200)
  })

  it('are off by default: every key may use everything', async () => {
    const { keys } = twoTeams.auth
    const api = await open({ scenario: { name: 'open', auth: { keys } } })
    const ids = await submit(api)
    const { status } = await call(api, bob, 'POST /preview/training-jobs', {
      model_id: ids.model,
      trajectory_groups: [],
      experimental_config: { kl_ref_adapter_path: 'artifact:///research/verse/poet:step0' },
    })
    expect(status).toBe(200)
    const statuses = await useAll(api, bob, ids)
    expect(statuses.filter(([, each]) => each !== 200)).toEqual([])
  })

  it('stay after a snapshot, and end with one without secrets', async () => {
    const api = await open({ scenario: twoTeams })
    const { model } = await submit(api)
    const path = `GET /preview/models/${model}/checkpoints`
    for (const [secrets, status] of [
      [true, 404],
      [false, 200],
    ] as const) {
      const other = createEmulator({ clock: 'manual' })
      other.restore(await api.emulator.snapshot({ secrets }))
      const restored = { emulator: other, fetch: other.fetch }
      expect((await call(restored, bob, path)).status).toBe(status)
      expect((await call(restored, ada, path)).status).toBe(200)
      await other.close()
    }
  })
})

describe('separate entities with a world for each key', () => {
  it('work in each world', async () => {
    const emulator = createEmulator({ clock: 'manual', scenario: twoTeams, isolate: 'api-key' })
    const api = { emulator, fetch: emulator.fetch }
    const { model } = await submit(api)
    const path = `GET /preview/models/${model}/checkpoints`
    expect((await call(api, ada, path)).status).toBe(200)
    expect((await call(api, bob, path)).status).toBe(404)
    await emulator.close()
  })
})

import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../support/transports.js'

const ada = { authorization: 'Bearer key-of-ada-1', 'content-type': 'application/json' }
const bob = { ...ada, authorization: 'Bearer key-of-bob-1' }

const scenario = {
  name: 'two',
  auth: {
    keys: {
      'key-of-ada-1': { user: 'ada', entity: 'research' },
      'key-of-bob-1': { user: 'bob', entity: 'production' },
    },
    separateEntities: true,
  },
}

const user = [{ role: 'user', content: 'Hi' }]
const reward = (points: number) => ({
  messages_and_choices: [...user, { role: 'assistant', content: 'Hello' }],
  reward: points,
})
const groups = [{ trajectories: [reward(0), reward(1)] }]
const poet = { name: 'poet', project: 'demo', base_model: 'example/base-8b-instruct' }

type Opened = Pick<Api, 'fetch' | 'emulator'>

async function call(
  { fetch, emulator }: Opened,
  host: 'trainingUrl' | 'inferenceUrl',
  request: string,
  { headers, body }: { headers: Record<string, string>; body?: unknown },
): Promise<{ status: number; text: string }> {
  const [method, path] = request.split(' ') as [string, string]
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(emulator[host] + path, { method, headers, ...sent })
  return { status: response.status, text: await response.text() }
}

/** The model of Ada, with a job that has ended. */
async function trained(api: Opened): Promise<{ model: string; job: string }> {
  const post = async (path: string, body: unknown): Promise<{ id: string }> => {
    const sent = { headers: ada, body }
    const { text } = await call(api, 'trainingUrl', `POST ${path}`, sent)
    return JSON.parse(text) as { id: string }
  }
  const { id: model } = await post('/preview/models', poet)
  const { id: job } = await post('/preview/training-jobs', {
    model_id: model,
    trajectory_groups: groups,
  })
  await api.emulator.settle()
  return { model, job }
}

describeTransports('the model of another entity', (open) => {
  it('answers by no name', async () => {
    const api = await open({ scenario })
    const { model } = await trained(api)
    const own = [
      'research/demo/poet',
      'artifact:///research/demo/poet',
      'artifact:///research/demo/poet:latest',
      'artifact:///research/demo/poet:v0',
      'other-artifact:///research/demo/poet:step0',
    ]
    const nobodys = [
      'poet',
      'RESEARCH/demo/poet',
      'artifact:///Research/Demo/Poet',
      'artifact:///research/demo/../demo/poet',
      `artifact://_id/${model}`,
      model,
    ]
    for (const name of [...own, ...nobodys]) {
      const body = { model: name, messages: user }
      const request = 'POST /chat/completions'
      const byAda = await call(api, 'inferenceUrl', request, { headers: ada, body })
      const byBob = await call(api, 'inferenceUrl', request, { headers: bob, body })
      const expected = own.includes(name) ? 200 : 404
      expect([name, byAda.status, byBob.status]).toEqual([name, expected, 404])
      expect(JSON.parse(byBob.text)).toMatchObject({
        error: { message: `The model \`${name}\` does not exist.`, type: 'NotFoundError' },
      })
    }
  })

  it('answers with no header of another entity', async () => {
    const api = await open({ scenario })
    await trained(api)
    for (const more of [
      { 'openai-project': 'research/demo' },
      { 'service-project': 'research/demo' },
      { 'openai-organization': 'research' },
      { 'service-entity': 'research' },
    ]) {
      const headers = { ...bob, ...more }
      const body = { model: 'poet', messages: user }
      const chat = await call(api, 'inferenceUrl', 'POST /chat/completions', { headers, body })
      const listed = await call(api, 'inferenceUrl', 'GET /models', { headers })
      expect([more, chat.status, listed.text.includes('research')]).toEqual([more, 404, false])
    }
  })

  it('is read and changed by no id', async () => {
    const api = await open({ scenario })
    const { model, job } = await trained(api)
    const read = () =>
      call(api, 'trainingUrl', `GET /preview/models/${model}/checkpoints`, { headers: ada })
    const before = await read()
    const log = { split: 'val', metrics: { a: 1 }, trajectory_groups: [] }
    const sft = { training_data_url: 'artifact:///a/b/c' }
    const steps = { steps: [0] }
    for (const id of [model, model.toUpperCase()]) {
      const jobId = id === model ? job : job.toUpperCase()
      const requests: [string, unknown?][] = [
        [`DELETE /preview/models/${id}`],
        [`GET /preview/models/${id}/checkpoints`],
        [`POST /preview/models/${id}/log`, log],
        [`DELETE /preview/models/${id}/checkpoints`, steps],
        [`GET /preview/training-jobs/${jobId}`],
        [`GET /preview/training-jobs/${jobId}/events`],
        ['POST /preview/training-jobs', { model_id: id, trajectory_groups: groups }],
        ['POST /preview/sft-training-jobs', { model_id: id, ...sft }],
      ]
      for (const [request, body] of requests) {
        const { status, text } = await call(api, 'trainingUrl', request, { headers: bob, body })
        expect([request, status, text]).toEqual([
          request,
          404,
          expect.stringMatching(/^\{"detail":"(Model|Training job) not found"\}$/),
        ])
      }
    }
    for (const name of ['poet', 'fresh']) {
      const body = { ...poet, name, entity: 'research' }
      const sent = { headers: bob, body }
      expect((await call(api, 'trainingUrl', 'POST /preview/models', sent)).status).toBe(404)
    }
    const sent = { headers: bob, body: poet }
    const own = await call(api, 'trainingUrl', 'POST /preview/models', sent)
    expect([own.status, JSON.parse(own.text)]).toMatchObject([200, { entity: 'production' }])
    expect(await read()).toEqual(before)
  })
})

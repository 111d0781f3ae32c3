import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson } from '../../../src/base/text/json-text.js'
import { createEmulator, operations, type Emulator, type Operation } from '../../../src/index.js'
import { createModel, listEvents } from '../../support/trainer.js'
import { describeTransports, type Api } from '../../support/transports.js'

/** Numbers that JSON has no word for, as clients can send them all the same. */

async function trainOn(api: Api, body: string): Promise<{ modelId: string; jobId: string }> {
  const { id: modelId } = await createModel(api)
  const text = body.replace('{', `{"model_id":"${modelId}",`)
  const answer = await api.post('/preview/training-jobs', text)
  expect(answer.status).toBe(200)
  api.emulator.clock.advance('1m')
  return { modelId, jobId: answer.body.id }
}

function groupOf(trajectory: string): string {
  return `{"trajectory_groups":[{"trajectories":[${trajectory}]}]}`
}

describeTransports('a number that JSON cannot express', (open) => {
  it.each([
    ['a text', '{"reward":"nan"},{}'],
    ['the word of Python', '{"reward":NaN},{}'],
    ['a word of another sign', '{"reward":-Infinity},{}'],
    ['more than a float can hold', '{"reward":1e400},{}'],
    ['a mean that overflows', '{"reward":1e308},{"reward":1.5e308}'],
  ])('is null in events and in the checkpoint: %s', async (_said, trajectories) => {
    const api = await open()
    const { modelId, jobId } = await trainOn(api, groupOf(trajectories))
    const [, step] = await listEvents(api, jobId)
    expect(step!.data['reward']).toBeNull()
    const { body } = await api.get(`/preview/models/${modelId}/checkpoints?order=desc`)
    expect(body.data[0].metrics['train/reward']).toBeNull()
  })

  it('is null as a learning rate of a job or a schedule', async () => {
    const api = await open()
    const config = '"experimental_config":{"learning_rate":"inf"}'
    const groups = '"trajectory_groups":[{"trajectories":[{"reward":1},{}]}]'
    const { jobId } = await trainOn(api, `{${groups},${config}}`)
    expect((await listEvents(api, jobId))[1]!.data['learning_rate']).toBeNull()
  })

  it('is null in the metrics of a log call', async () => {
    const api = await open()
    const { id } = await createModel(api)
    const groups = '[{"trajectories":[{"reward":"nan","metrics":{"tries":Infinity,"fast":1}}]}]'
    await api.post(`/preview/models/${id}/log`, `{"split":"val","trajectory_groups":${groups}}`)
    const { body } = await api.get(`/preview/models/${id}/checkpoints`)
    expect(body.data[0].metrics).toEqual({ 'val/reward': null, 'val/tries': null, 'val/fast': 1 })
  })

  it('stays null when its world is restored', async () => {
    const api = await open()
    const config = '"experimental_config":{"learning_rate":"nan"}'
    const groups = '"trajectory_groups":[{"trajectories":[{"reward":"nan"},{}]}]'
    const { jobId } = await trainOn(api, `{${groups},${config}}`)
    const before = await listEvents(api, jobId)
    api.emulator.restore(JSON.parse(JSON.stringify(await api.emulator.snapshot())))
    expect(await listEvents(api, jobId)).toEqual(before)
  })

  it('is sent as a number if JSON can express it, however large', async () => {
    const api = await open()
    const { jobId } = await trainOn(api, groupOf('{"reward":2e300},{}'))
    expect((await listEvents(api, jobId))[1]!.data['reward']).toBe(1e300)
  })

  it('is null if a formula computes it, and NaN only with spoil', async () => {
    const metrics = { loss: { curve: 'formula' as const, formula: '1 / (step - 1)' } }
    const timeline = [
      { event: 'training_started' as const },
      { event: 'gradient_step' as const, metrics },
      { event: 'training_ended' as const },
    ]
    const api = await open({ scenario: { name: 'divides', jobs: [{ timeline }] } })
    const { jobId } = await trainOn(api, groupOf('{"reward":1},{}'))
    const [, first, second] = await listEvents(api, jobId)
    expect([first!.data['loss'], second!.data['loss']]).toEqual([null, 1])
  })
})

const MODEL = { project: 'my-project', name: 'my-model', base_model: 'example/base-8b-instruct' }
const URL = 'artifact:///local-team/my-project/data:v0'
const trajectory = {
  messages_and_choices: [{ role: 'user', content: 'Hello' }],
  reward: 1,
  initial_policy_version: 1,
  metrics: { a: 1, b: true },
  metadata: { a: [1, { b: 2 }] },
  start_time: 1_767_225_600,
  exchanges: { completions: [{ response: { created: 1 } }] },
}
const group = { trajectories: [trajectory, trajectory], metrics: { a: 1 }, metadata: { a: 1 } }
const chat = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5, temperature: 1, n: 1 }

/** Of each operation a body that is accepted as it stands. */
const bodies: readonly (readonly [path: string, body: (id: string) => object])[] = [
  ['/v1/preview/models', () => ({ ...MODEL, name: 'other' })],
  ['/v1/preview/models/{model_id}/log', () => ({ split: 'val', trajectory_groups: [group] })],
  [
    '/v1/preview/training-jobs',
    (id) => ({
      model_id: id,
      trajectory_groups: [group],
      experimental_config: { learning_rate: 1e-5, epsilon: 0.2, packed_sequence_length: 1 },
    }),
  ],
  [
    '/v1/preview/sft-training-jobs',
    (id) => ({
      model_id: id,
      training_data_url: URL,
      config: {
        batch_size: 2,
        learning_rate: [1, 0.5],
        metric_logging: { target_training_step: 1 },
      },
      experimental_config: { a: 1 },
    }),
  ],
  ['/v1/chat/completions', () => ({ ...chat, model: MODEL.base_model, logprobs: true })],
  ['/_emulator/trigger', () => ({ type: 'RUN_METRIC', metrics: { loss: 1 }, metadata: { a: 1 } })],
  ['/_emulator/faults', () => ({ fault: 'status', status: 500, calls: 1, retry_after: 1 })],
]

const odd = fc.constantFrom('NaN', 'Infinity', '-Infinity', '1e400', '"nan"', '"-inf"', '1e308')
/** For each value of a body, in its order, what stands there instead. */
const replaced = fc.array(fc.option(odd, { freq: 2 }), { maxLength: 40 })

function textOf(value: unknown, instead: (string | null)[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, instead)).join()}]`
  if (typeof value !== 'object' || value === null) return instead.pop() ?? JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => {
    return `${JSON.stringify(name)}:${textOf(field, instead)}`
  })
  return `{${fields.join()}}`
}

/** What is the same in each world. It takes half of the time. */
const ofNoWorld = new Set([
  '/_emulator/scenario/schema',
  '/_emulator/openapi.json',
  '/openapi.json',
])

/** Calls an operation. Streams have no text that is JSON. */
async function call(emulator: Emulator, { host, method, path, body = '' }: Called) {
  const outcome = await emulator.handle(host === 'inference' ? 'inference' : 'training', {
    method,
    base: 'http://127.0.0.1',
    path,
    query: '',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: new TextEncoder().encode(body),
  })
  return outcome.kind === 'response' ? outcome : undefined
}

type Called = Pick<Operation, 'host' | 'method' | 'path'> & { body?: string }

/** Everything that can be read of a world, as a list of texts. */
async function everythingIn(emulator: Emulator, ids: Record<string, string>): Promise<string[]> {
  const texts: string[] = []
  for (const { method, path, host } of operations) {
    if (method !== 'GET' || path.endsWith('/stream') || path.endsWith('/wait')) continue
    if (ofNoWorld.has(path)) continue
    const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'x')
    const outcome = await call(emulator, { host, method, path: url })
    if (outcome?.headers['content-type'] === 'application/json') texts.push(outcome.body)
  }
  return texts
}

describe('for any numbers in a request body,', () => {
  it('all responses and webhooks are valid JSON', async () => {
    const sent: string[] = []
    const payload = '{"value": ${metric_value}, "all": ${artifact_metadata.train/reward}}'
    const automations = (['CREATE_ARTIFACT', 'RUN_METRIC', 'RUN_STATE'] as const).map((event) => ({
      name: event,
      webhook: 'hook',
      event,
      payload,
      ...(event === 'RUN_METRIC' && { metric: 'reward', is: 'above' as const, threshold: -1e308 }),
    }))
    const scenario = {
      name: 'watched',
      webhooks: [{ name: 'hook', url: 'http://127.0.0.1:9/' }],
      automations,
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...bodies), replaced)), async (calls) => {
        await using emulator = createEmulator({
          clock: 'manual',
          scenario: scenario as never,
          send: ({ body }) => {
            sent.push(new TextDecoder().decode(body))
            return Promise.resolve({ status: 200, body: '' })
          },
        })
        const { id } = await emulator.models.create({ name: MODEL.name })
        const answers: string[] = []
        let job_id = 'none'
        for (const [[path, body], instead] of calls) {
          const outcome = await call(emulator, {
            host: 'training',
            method: 'POST',
            path: path.replace('{model_id}', id),
            body: textOf(body(id), [...instead]),
          })
          if (!outcome) throw new Error(`${path}: a stream`)
          // The framework cannot print NaN in its refusal, and says nothing else.
          if (outcome.status === 500) {
            expect(outcome.body).toBe('Internal Server Error')
            expect(outcome.reason).toContain('the framework cannot print')
          } else if (outcome.body !== '') answers.push(outcome.body)
          if (path.endsWith('training-jobs') && outcome.status === 200)
            job_id = (JSON.parse(outcome.body) as { id: string }).id
        }
        emulator.clock.advance('1h')
        await emulator.settle()
        const ids = { model_id: id, job_id, training_job_id: job_id, id: job_id, job: job_id }
        const texts = [...answers, ...(await everythingIn(emulator, ids)), ...sent.splice(0)]
        expect(texts.filter((text) => !isJson(text))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

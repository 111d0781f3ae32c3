import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../../support/transports.js'
import { chat, createModel, startJob } from '../../../support/trainer.js'
import type { FaultInput } from '../../../../src/service/scenario/scenario.js'

const withTokens = { logprobs: true, return_token_ids: true }

/** The events of a streamed chat, without the last one. */
async function streamed(api: Api) {
  const stream = { stream: true, stream_options: { include_usage: true } }
  const { body } = await chat(api.inference, 'Hi', { ...stream, ...withTokens })
  const events = (body as string).trim().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  return events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)))
}

describeTransports('an edit', (open) => {
  const opened = (fault: Omit<Extract<FaultInput, { fault: 'edit' }>, 'fault'>) =>
    open({ scenario: { name: 'x', faults: [{ fault: 'edit', ...fault }] } })

  it('removes fields of an answer, for some calls', async () => {
    const api = await opened({
      calls: { every: 2 },
      remove: ['choices.*.logprobs', 'choices.*.token_ids', 'prompt_token_ids'],
    })
    const { body } = await chat(api, 'Hi', withTokens)
    expect(body).not.toHaveProperty('prompt_token_ids')
    expect(Object.keys(body.choices[0])).toEqual([
      'index',
      'message',
      'finish_reason',
      'stop_reason',
    ])
    expect(body.usage.completion_tokens).toBeGreaterThan(0)
    const next = (await chat(api, 'Hi', withTokens)).body
    expect(next.choices[0].logprobs.content).toHaveLength(next.choices[0].token_ids.length)
  })

  it('changes every event of a stream', async () => {
    const api = await opened({
      remove: ['choices.*.logprobs', 'choices.*.token_ids'],
      set: { 'usage.completion_tokens': 99 },
    })
    const events = await streamed(api)
    expect(events.length).toBeGreaterThan(4)
    for (const { choices } of events) {
      for (const choice of choices) expect(Object.keys(choice).sort()).not.toContain('logprobs')
    }
    expect(events.filter(({ usage }) => usage).map(({ usage }) => usage.completion_tokens)).toEqual(
      [99],
    )
  })

  it('works on every operation, and with faults that change how a body is sent', async () => {
    const api = await open({
      scenario: {
        name: 'x',
        faults: [
          { fault: 'trickle', bytes: 1000 },
          { fault: 'edit', name: 'odd', set: { '*': 'another' } },
        ],
      },
    })
    const { body, headers } = await api.get('/preview/base-models')
    expect(body).toEqual(['another', 'another'])
    expect(headers.get('content-length')).toBe(String(JSON.stringify(body).length))
    const request = await api.emulator.requests.waitFor({ status: 200 })
    expect(request.effects).toContain('odd: *: "another"')
  })

  it('leaves alone what is not JSON, and what has no such field', async () => {
    const api = await opened({ remove: 'no.such.field', set: { 'no.such': 1 } })
    expect((await api.get('/preview/base-models')).body).toHaveLength(2)
  })

  it('changes answers that have NaN and Infinity, and leaves these', async () => {
    const set = { 'data.*.data.seen': true }
    const match = { operation: 'listTrainingJobEvents' }
    const faults: FaultInput[] = [{ fault: 'edit', set, match }]
    const scenario = { name: 'x', extends: 'nan-metrics', faults } as const
    const api = await open({ scenario, clock: 'instant' })
    const id = await startJob(api, (await createModel(api)).id)
    // It is not valid JSON.
    const url = `${api.emulator.trainingUrl}/preview/training-jobs/${id}/events`
    const body = await (await api.fetch(url, { headers: { authorization: 'Bearer key' } })).text()
    expect(body).toMatch(/"loss":NaN.*"seen":true/)
    expect(body).toContain('"grad_norm":Infinity')
  })

  it('is refused if it changes nothing, or if a path is wrong', async () => {
    const { emulator } = await open()
    expect(() => emulator.faults.add({ fault: 'edit' })).toThrow('expected remove or set')
    expect(() => emulator.faults.add({ fault: 'edit', remove: ['choices..x'] })).toThrow(
      'expected names with dots between them, such as choices.*.logprobs, got "choices..x"',
    )
    expect(() => emulator.faults.add({ fault: 'edit', remvoe: 'x' } as never)).toThrow(
      'Did you mean "remove"',
    )
  })
})

describeTransports('calls', (open) => {
  it('count by path, by project, or by several of these', async () => {
    const model = 'example/base-8b-instruct'
    const api = await open()
    const once = { fault: 'status', calls: 1 } as const
    const message = '{{model}} of {{project}} is busy'
    const busy = { match: { host: 'inference', project: '*' }, message } as const
    api.emulator.faults.add({ ...once, status: 404, per: 'path', match: { host: 'training' } })
    api.emulator.faults.add({ ...once, status: 429, per: ['project', 'model'], ...busy })
    const paths = ['/health', '/system-check', '/health']
    const statuses: number[] = []
    for (const path of paths) statuses.push((await api.get(path)).status)
    expect(statuses).toEqual([404, 404, 200])
    const ask = (project: string | undefined, name = model) => {
      const headers = project === undefined ? {} : { 'openai-project': project }
      const body = { model: name, messages: [{ role: 'user', content: 'Hi' }] }
      return api.inference.post('/chat/completions', body, { headers })
    }
    expect((await ask(undefined)).status).toBe(200)
    const refused = await ask('team/one')
    expect(refused.body.error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: `${model} of one is busy`,
    })
    expect((await ask('team/one')).status).toBe(200)
    expect((await ask('team/two')).status).toBe(429)
    expect((await ask('team/one', 'example/base-14b-instruct')).status).toBe(429)
    expect((await ask(undefined, 'artifact:///team/three/poet')).body.error.message).toBe(
      'poet of three is busy',
    )
  })

  it('of chats are refused in the form of the chat layer, on both hosts', async () => {
    const api = await open({ scenario: { name: 'x', faults: [{ fault: 'status', status: 402 }] } })
    const error = {
      type: 'APIError',
      param: null,
      code: 402,
      message: expect.stringMatching(/quota/),
    }
    expect((await chat(api, 'Hi')).body).toEqual({ error })
    expect((await chat(api.inference, 'Hi')).body).toEqual({ error })
    expect((await api.get('/health')).body).toEqual({ detail: 'Payment Required' })
  })

  it('with a message that has an unknown placeholder are refused', async () => {
    const { emulator } = await open()
    const fault = { fault: 'concurrency', most: 1, message: '{{modle}}' } as const
    expect(() => emulator.faults.add(fault)).toThrow(
      'there is no {{modle}}. Did you mean {{model}}? Known: model, project.',
    )
  })
})

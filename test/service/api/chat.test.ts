import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../support/transports.js'
import { createModel, startJob } from '../../support/trainer.js'

const messages = [{ role: 'user', content: 'Name a colour.' }]
const base = 'example/base-8b-instruct'
const greedy = { temperature: 0 }

async function trained(api: Api): Promise<string> {
  const { id } = await createModel(api)
  await startJob(api, id)
  api.emulator.clock.advance(60_000)
  return id
}

describeTransports('chat completions', (open) => {
  it('answer completely, on both hosts and with both forms of the path', async () => {
    const api = await open()
    const asked = { model: base, messages, ...greedy }
    const { body } = await api.post('/chat/completions', asked)
    const message = { role: 'assistant', content: expect.stringMatching(/^[A-Z].*[.!]$/) }
    expect(body).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      created: 1_767_225_600,
      model: base,
      choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    })
    const { prompt_tokens, completion_tokens, total_tokens } = body.usage
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
    const again = { ...body, id: expect.not.stringMatching(body.id) }
    expect((await api.post('/chat/completions/', asked)).body).toEqual(again)
    expect((await api.inference.post('/chat/completions', asked)).body).toEqual(again)
  })

  it('return the requested number of choices, and stop at max_tokens', async () => {
    const api = await open()
    const asked = { model: base, messages, n: 3, max_tokens: 2 }
    const { body } = await api.post('/chat/completions', asked)
    expect(body.choices).toHaveLength(3)
    expect(body.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2])
    expect(body.usage.completion_tokens).toBe(6)
    for (const { finish_reason } of body.choices) expect(finish_reason).toBe('length')
  })

  it('stream the same answer: choices first, usage last, then [DONE]', async () => {
    const api = await open()
    const asked = { model: base, messages, ...greedy }
    const whole = (await api.post('/chat/completions', asked)).body
    const streamed = { ...asked, stream: true, stream_options: { include_usage: true } }
    const { body, headers } = await api.post('/chat/completions', streamed)
    expect(headers.get('content-type')).toContain('text/event-stream')
    const lines = (body as string).split('\n\n').filter((line) => line !== '')
    expect(lines.pop()).toBe('data: [DONE]')
    const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)))
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
    const deltas = chunks.slice(1, -1).map(({ choices: [choice] }) => choice.delta.content ?? '')
    // The last chunk with a choice is the token that ends the answer.
    expect(deltas).toHaveLength(whole.usage.completion_tokens)
    expect(deltas.join('')).toBe(whole.choices[0].message.content)
    expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
  })

  it.each([
    'artifact:///local-team/my-project/my-model',
    'artifact://local-team/my-project/my-model:step1',
    'any-scheme:///local-team/my-project/my-model:latest',
    'artifact:///local-team/my-project/my-model:v0',
    'local-team/my-project/my-model:step0',
  ])('find a trained model by %s', async (model) => {
    const api = await open()
    await trained(api)
    for (const host of [api, api.inference]) {
      expect((await host.post('/chat/completions', { model, messages })).status).toBe(200)
    }
  })

  it.each([
    'unknown',
    'artifact:///local-team/my-project/my-model:step9',
    'artifact:///local-team/my-project/my-model:v2',
    'artifact:///local-team/my-project/other',
    'artifact:///other-team/my-project/my-model',
  ])('do not find %s', async (model) => {
    const api = await open()
    await trained(api)
    for (const host of [api, api.inference]) {
      const { status, body } = await host.post('/chat/completions', { model, messages })
      expect(status).toBe(404)
      expect(body).toEqual({
        error: {
          message: `The model \`${model}\` does not exist.`,
          type: 'NotFoundError',
          param: 'model',
          code: 404,
        },
      })
    }
  })

  it('do not find a deleted checkpoint', async () => {
    const api = await open()
    const id = await trained(api)
    const model = 'artifact:///local-team/my-project/my-model:step1'
    await api.delete(`/preview/models/${id}/checkpoints`, { steps: [1] })
    expect((await api.post('/chat/completions', { model, messages })).status).toBe(404)
  })

  it('list the models that are served, as jobs finish', async () => {
    const api = await open()
    await trained(api)
    const { body } = await api.inference.get('/models')
    expect(body.object).toBe('list')
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
      'example/base-8b-instruct',
      'example/base-14b-instruct',
      'artifact:///local-team/my-project/my-model:step0',
      'artifact:///local-team/my-project/my-model:step1',
    ])
    expect(body.data[0]).toEqual({
      id: base,
      object: 'model',
      created: 0,
      owned_by: 'system',
      root: base,
    })
  })
})

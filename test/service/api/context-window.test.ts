import { expect, it } from 'vitest'
import { describeInProcess, type Api } from '../../support/transports.js'

const small = 'example/small'
const large = 'example/large'

const scenario = {
  name: 'mine',
  base_models: [small, { id: small, context_window: 100 }, large, { id: 'example/other' }],
  chat: { context_window: 1000, rules: [{ answer: 'word '.repeat(2000) }] },
}

const REDUCE =
  'Please reduce the length of the input prompt or the number of requested output tokens.'

function tooLong(output: number): string {
  return `This model's maximum context length is 100 tokens. However, you requested ${output} output tokens and your prompt contains`
}

/** A prompt with exactly this number of tokens. */
function prompt(tokens: number): object[] {
  const around = 8
  return [{ role: 'user', content: ' a'.repeat(tokens - around) }]
}

async function ask(api: Api, more: object) {
  const { status, body } = await api.post('/chat/completions', { model: small, ...more })
  return { status, ...body }
}

describeInProcess('the context window', (open) => {
  it('holds the prompt and the answer, which gets the rest of the window', async () => {
    const api = await open({ scenario })
    const { choices, usage } = await ask(api, { messages: prompt(60) })
    expect(usage).toEqual({ prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 })
    expect(choices[0].finish_reason).toBe('length')
    const streamed = await api.post('/chat/completions', {
      model: small,
      messages: prompt(60),
      stream: true,
    })
    expect(streamed.body).toContain('"finish_reason":"length"')
    const whole = await ask(api, { messages: prompt(60), max_tokens: 40 })
    expect(whole.usage.total_tokens).toBe(100)
  })

  it('is that of the model, or else of the scenario, or else 32,768', async () => {
    const api = await open({ scenario })
    for (const model of [large, 'example/other']) {
      const { usage } = await ask(api, { model, messages: prompt(60) })
      expect(usage.total_tokens).toBe(1000)
    }
    const plain = await open()
    const model = 'example/base-8b-instruct'
    const { error } = await ask(plain, { model, messages: prompt(9), max_tokens: 40_000 })
    expect(error.message).toContain('max_model_len=max_total_tokens=32768.')
  })

  it('of a trained model is that of its base model', async () => {
    const api = await open({ scenario })
    const poet = { project: 'demo', name: 'poet', base_model: small }
    await api.post('/preview/models', poet)
    const model = 'artifact:///local-team/demo/poet'
    expect((await ask(api, { model, messages: prompt(60) })).usage.total_tokens).toBe(100)
  })

  it.each([
    // Without max_tokens, the prompt alone must fit.
    [
      prompt(500),
      {},
      `${tooLong(0)} at least 101 input tokens, for a total of at least 101 tokens. ${REDUCE} (parameter=input_tokens, value=101)`,
    ],
    [
      prompt(61),
      { max_tokens: 40 },
      `${tooLong(40)} at least 61 input tokens, for a total of at least 101 tokens. ${REDUCE} (parameter=input_tokens, value=61)`,
    ],
    [
      [{ role: 'user', content: 'a '.repeat(10_000) }],
      { max_completion_tokens: 40 },
      `${tooLong(40)} 20050 characters (more than 7680 characters, which is the upper bound for 60 input tokens). ${REDUCE} (parameter=input_text, value=20050)`,
    ],
    [
      prompt(10),
      { max_tokens: 101 },
      'max_tokens=101 cannot be greater than max_model_len=max_total_tokens=100. Please request fewer output tokens. (parameter=max_tokens, value=101)',
    ],
    [
      prompt(10),
      { max_completion_tokens: 200, max_tokens: 5 },
      'max_completion_tokens=200 cannot be greater than max_model_len=max_total_tokens=100. Please request fewer output tokens. (parameter=max_completion_tokens, value=200)',
    ],
    // The prompt fits, and leaves no room for an answer.
    [prompt(100), {}, 'max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)'],
  ])('refuses a request beyond it (case %#)', async (messages, more, message) => {
    const api = await open({ scenario })
    const [, param] = /parameter=(\w+)/.exec(message)!
    const error = { message, type: 'BadRequestError', param, code: 400 }
    for (const host of [api, api.inference]) {
      const answer = await host.post('/chat/completions', { model: small, messages, ...more })
      expect(answer).toMatchObject({ status: 400, body: { error } })
    }
  })

  it('counts tools, images and all earlier turns', async () => {
    const api = await open({ scenario })
    const parameters = {
      type: 'object',
      properties: { text: { description: 'long '.repeat(100) } },
    }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const turns = Array.from({ length: 10 }, () => prompt(20)).flat()
    for (const more of [
      { messages: prompt(10), tools },
      { messages: [{ role: 'user', content: Array.from({ length: 100 }, () => image) }] },
      { messages: turns },
    ]) {
      expect((await ask(api, more)).error.param).toBe('input_tokens')
    }
  })

  it('refuses without using up an answer of a rule', async () => {
    const rules = [{ answers: ['first', 'second'] }]
    const api = await open({ scenario: { ...scenario, chat: { rules } } })
    await ask(api, { messages: prompt(500) })
    expect((await ask(api, { messages: prompt(10) })).choices[0].message.content).toBe('first')
  })

  it('refuses a prompt of many megabytes after encoding a small part of it', async () => {
    const api = await open({ scenario })
    for (const text of ['a'.repeat(5e6), 'some words '.repeat(5e5), '\u{1f600}'.repeat(1e6)]) {
      const { status, error } = await ask(api, { messages: [{ role: 'user', content: text }] })
      expect([status, error.param]).toEqual([400, 'input_text'])
    }
  })

  it('can be larger than any prompt', async () => {
    const chat = { context_window: 10_000_000, rules: [{ answer: 'ok' }] }
    const api = await open({ scenario: { name: 'mine', chat } })
    const model = 'example/base-8b-instruct'
    const messages = [{ role: 'user', content: 'some words '.repeat(20_000) }]
    expect((await ask(api, { model, messages })).choices[0].message.content).toBe('ok')
  })
})

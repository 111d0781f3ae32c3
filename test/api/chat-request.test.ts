import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { textFrom } from '../support/chat-text.js'
import { createModel } from '../support/trainer.js'
import { describeTransports, type Api } from '../support/transports.js'
import { jsonHeaders } from '../support/api-client.js'

const base = 'example/base-8b-instruct'
const messages = [{ role: 'user', content: 'Name a colour.' }]

async function ask(api: Api, more: Record<string, unknown> = {}) {
  return (await api.post('/chat/completions', { model: base, messages, ...more })).body
}

async function said(api: Api, more?: Record<string, unknown>): Promise<string> {
  return (await ask(api, more)).choices[0].message.content
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 1 },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
}

describeTransports('a chat request', (open) => {
  it('with temperature 0 or a seed always gets the same answer', async () => {
    const api = await open()
    expect(await said(api, { temperature: 0 })).toBe(await said(api, { temperature: 0 }))
    expect(await said(api, { seed: 7 })).toBe(await said(api, { seed: 7 }))
    expect(await said(api, { seed: 7 })).not.toBe(await said(api, { seed: 8 }))
  })

  it('with a higher temperature gets different answers, and the same ones in every run', async () => {
    const run = async (): Promise<string[]> => {
      const api = await open()
      return [await said(api), await said(api), await said(api, { temperature: 1.5 })]
    }
    const first = await run()
    expect(new Set(first).size).toBe(3)
    expect(await run()).toEqual(first)
  })

  it('gets the same answer, whatever other requests come before it', async () => {
    const [alone, busy] = [await open(), createEmulator()]
    const other = [{ role: 'user', content: 'Something else.' }]
    const answers = [await said(alone), await said(alone)]
    const asked = (body: object) => textFrom(busy, { messages, ...body })
    await asked({ messages: other })
    const again = [await asked({})]
    await asked({ messages: other })
    again.push(await asked({}))
    expect(again).toEqual(answers)
  })

  it('gets an answer that ends at a stop sequence or at max_tokens', async () => {
    const api = await open({
      scenario: { name: 'x', chat: { rules: [{ answer: 'one two. three four' }] } },
    })
    expect((await ask(api, { stop: ['four', '.'] })).choices[0]).toMatchObject({
      message: { content: 'one two' },
      finish_reason: 'stop',
    })
    const short = await ask(api, { max_completion_tokens: 3, logprobs: true, top_logprobs: 2 })
    expect(short.choices[0]).toMatchObject({
      message: { content: 'one two.' },
      finish_reason: 'length',
    })
    expect(short.usage.completion_tokens).toBe(3)
    const [{ logprobs }] = short.choices
    expect(logprobs.content).toHaveLength(3)
    for (const { token, logprob, top_logprobs } of logprobs.content) {
      expect(top_logprobs).toHaveLength(2)
      expect(top_logprobs[0]).toMatchObject({ token, logprob })
      expect(top_logprobs[1].logprob).toBeLessThanOrEqual(0)
    }
  })

  it('that offers tools gets a tool call, and then an answer', async () => {
    const api = await open()
    const body = await ask(api, { tools: [weather], logprobs: true })
    const [choice] = body.choices
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    const [call] = choice.message.tool_calls
    expect(call.function.name).toBe('get_weather')
    const { city, days } = JSON.parse(call.function.arguments)
    expect(city.length).toBeGreaterThan(0)
    expect(days).toSatisfy((value: number) => value >= 1 && value <= 7)
    expect(choice.logprobs.content).toHaveLength(body.usage.completion_tokens)
    const result = { role: 'tool', tool_call_id: call.id, content: 'rain' }
    const next = await ask(api, {
      messages: [...messages, choice.message, result],
      tools: [weather],
    })
    expect(next.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect((await ask(api, { tools: [weather], tool_choice: 'none' })).choices[0]).toMatchObject({
      finish_reason: 'stop',
    })
  })

  it('gets choices of every kind that a trajectory takes back unchanged', async () => {
    const api = await open({
      scenario: {
        name: 'x',
        chat: {
          rules: [
            { match: { user: 'refuse' }, answer: { refusal: 'No.' } },
            { match: { user: 'filter' }, answer: { content: '', finish_reason: 'content_filter' } },
            { match: { user: 'accents' }, answer: 'Zażółć 👩‍👩‍👧 日本語' },
          ],
        },
      },
    })
    const { id } = await createModel(api)
    const asked = ['refuse', 'filter', 'accents', 'words', 'tools']
    for (const content of asked) {
      const turn = [{ role: 'user', content }]
      const tools = content === 'tools' ? [weather] : undefined
      const more = { messages: turn, tools, logprobs: true, top_logprobs: 3 }
      const { choices, usage } = await ask(api, more)
      const [choice] = choices
      const tokens = choice.logprobs.content ?? choice.logprobs.refusal
      expect(tokens).toHaveLength(usage.completion_tokens)
      const trajectories = [
        { messages_and_choices: [...turn, choice], reward: 1 },
        { messages_and_choices: [...turn, choice.message], reward: 0 },
      ]
      const job = { model_id: id, trajectory_groups: [{ trajectories }] }
      expect((await api.post('/preview/training-jobs', job)).body).toMatchObject({
        status: 'queued',
      })
    }
  })

  it('for JSON gets a JSON answer', async () => {
    const api = await open()
    const text = await said(api, { response_format: { type: 'json_object' } })
    expect(JSON.parse(text)).toEqual({ answer: expect.any(String) })
  })

  it('gets the same tool calls, choices and logprobs as a stream', async () => {
    const api = await open()
    const asked = { tools: [weather], n: 2, logprobs: true, seed: 3 }
    const whole = await ask(api, asked)
    const text: string = await ask(api, { ...asked, stream: true })
    const chunks = text
      .split('\n\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice('data: '.length)))
    expect(chunks[0].choices.map(({ index }: { index: number }) => index)).toEqual([0, 1])
    for (const { index, message, logprobs } of whole.choices) {
      const own = chunks.flatMap(({ choices }) =>
        choices.filter((choice: { index: number }) => choice.index === index),
      )
      const calls = own.flatMap(({ delta }) => delta.tool_calls ?? [])
      const [first] = calls
      expect({ id: first.id, name: first.function.name }).toEqual({
        id: expect.stringMatching(/^call_/),
        name: message.tool_calls[0].function.name,
      })
      const given = calls.map((call) => call.function.arguments).join('')
      expect(given).toBe(message.tool_calls[0].function.arguments)
      const tokens = own.flatMap((choice) => choice.logprobs?.content ?? [])
      expect(tokens).toEqual(logprobs.content)
    }
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
  })

  it.each([
    [{ temperature: 3 }, 'temperature', 'temperature: expected a number from 0 to 2, got 3'],
    [{ n: 0 }, 'n', 'n: expected a whole number from 1 to 128, got 0'],
    [{ max_tokens: -1 }, 'max_tokens', 'max_tokens: expected a whole number of at least 1, got -1'],
    [{ stop: [1] }, 'stop', 'stop: expected a text, or a list of at most 16 texts, got [1]'],
    [{ messages: [] }, 'messages', 'messages: expected at least one message, got []'],
    [
      { messages: [{ role: 'critic' }] },
      'messages[0].role',
      /one of developer, system, .*"critic"/,
    ],
    [{ tool_choice: 'required' }, 'tool_choice', /expected tools beside it/],
    [{ tools: [{ type: 'x' }] }, 'tools[0].type', 'tools[0].type: expected "function", got "x"'],
    [{ top_logprobs: 2 }, 'logprobs', /expected true, as top_logprobs is given/],
    [{ top_p: 0 }, 'top_p', 'top_p: expected a number above 0, at most 1, got 0'],
    [
      { min_tokens: 9, max_tokens: 5 },
      'min_tokens',
      'min_tokens: expected at most max_tokens (5), got 9',
    ],
    [{ min_tokens: -1 }, 'min_tokens', /a whole number of at least 0, got -1/],
    [{ return_token_ids: 1 }, 'return_token_ids', /expected true or false, got 1/],
    [
      { stream_options: { include_usage: true } },
      'stream_options',
      'Stream options can only be defined when `stream=True`. (parameter=stream_options)',
    ],
    [{ stream: true, stream_options: 5 }, 'stream_options', /expected an object, got 5/],
    [
      { stream: true, stream_options: { include_usage: 'yes' } },
      'stream_options.include_usage',
      /expected true or false, got "yes"/,
    ],
    [{ logit_bias: [] }, 'logit_bias', /expected an object of token ids and numbers, got \[\]/],
    [{ logit_bias: { the: 5 } }, 'logit_bias', /expected token ids as keys, got "the"/],
    [{ logit_bias: { 5: 'high' } }, 'logit_bias.5', /expected a number, got "high"/],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content', /expected a text, or a list .*null/],
    [{ messages: [{ role: 'tool', content: null }] }, 'messages[0].content', /got null/],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', /got 5/],
    [{ messages: [{ role: 'user', content: [5] }] }, 'messages[0].content', /got \[5\]/],
    [{ response_format: { type: 'xml' } }, 'response_format.type', /one of text, json_object/],
  ])('with %j is refused with 400', async (more, param, message) => {
    const api = await open()
    for (const host of [api, api.inference]) {
      const asked = { model: base, messages, ...more }
      const { status, body } = await host.post('/chat/completions', asked)
      expect(status).toBe(400)
      expect(body.error).toMatchObject({ type: 'BadRequestError', param, code: 400 })
      expect(body.error.message).toEqual(
        typeof message === 'string' ? message : expect.stringMatching(message),
      )
    }
  })

  it('that names its tool ends with stop when the arguments end', async () => {
    const api = await open()
    const named = { type: 'function', function: { name: 'get_weather' } }
    for (const [tool_choice, finish_reason] of [
      ['auto', 'tool_calls'],
      ['required', 'tool_calls'],
      [named, 'stop'],
    ] as const) {
      const { choices } = await ask(api, { tools: [weather], tool_choice })
      expect(choices[0]).toMatchObject({
        finish_reason,
        message: { tool_calls: [{ function: { name: 'get_weather' } }] },
      })
    }
  })

  it('that is not JSON is refused by the inference host with the position of the error', async () => {
    const api = await open()
    const response = await api.fetch(`${api.emulator.inferenceUrl}/chat/completions`, {
      method: 'POST',
      headers: jsonHeaders(),
      body: '{"model": }',
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: {
        message: 'The body is not valid JSON: Expecting value at character 11',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    })
  })

  it('can have assistant messages without content, and content in parts', async () => {
    const api = await open()
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const turns = [
      { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'assistant', content: null },
    ]
    expect((await ask(api, { messages: turns })).choices).toHaveLength(1)
  })

  it('can have null for omitted fields, and unknown fields', async () => {
    const api = await open()
    const nothing = { temperature: null, n: null, stop: null, tools: null, response_format: null }
    const unknown = { nvext: { extra_fields: ['engine_data'] }, top_k: 5 }
    const more = { ...nothing, ...unknown, chat_template_kwargs: { thinking: false } }
    expect((await ask(api, more)).choices).toHaveLength(1)
  })
})

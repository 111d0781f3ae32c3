import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { chunksIn, textFrom } from '../../support/chat-text.js'
import { createModel } from '../../support/trainer.js'
import { describeInProcess, type Api } from '../../support/transports.js'
import { clientOf, type HostClient } from '../../support/api-client.js'

const base = 'example/base-8b-instruct'
const messages = [{ role: 'user', content: 'Name a colour.' }]

async function ask(api: Api, more: Record<string, unknown> = {}) {
  return (await api.post('/chat/completions', { model: base, messages, ...more })).body
}

async function said(api: Api, more?: Record<string, unknown>): Promise<string> {
  return (await ask(api, more)).choices[0].message.content
}

interface ToolCall {
  function: { name: string }
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

async function refusal(host: HostClient, more: Record<string, unknown>): Promise<unknown> {
  const asked = { model: base, messages, ...more }
  const { status, body } = await host.post('/chat/completions', asked)
  expect(status).toBe(400)
  return body.error
}

function saying(message: string | RegExp): unknown {
  return typeof message === 'string' ? message : expect.stringMatching(message)
}

describeInProcess('a chat request', (open) => {
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

  it('gets an answer of at most max_completion_tokens, each with its alternatives', async () => {
    const more = { max_completion_tokens: 3, logprobs: true, top_logprobs: 2 }
    const { choices, usage } = await ask(await open(), more)
    expect(choices[0].finish_reason).toBe('length')
    expect(usage.completion_tokens).toBe(3)
    expect(choices[0].logprobs.content).toHaveLength(3)
    for (const { token, logprob, top_logprobs } of choices[0].logprobs.content) {
      expect(top_logprobs).toHaveLength(2)
      expect(top_logprobs[0]).toMatchObject({ token, logprob })
      expect(top_logprobs[1].logprob).toBeLessThanOrEqual(0)
    }
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
    for (const content of ['refuse', 'filter', 'accents', 'words', 'tools']) {
      const turn = [{ role: 'user', content }]
      const tools = content === 'tools' ? [weather] : undefined
      const more = { messages: turn, tools, logprobs: true, top_logprobs: 3 }
      const [choice] = (await ask(api, more)).choices
      const trajectories = [choice, choice.message].map((answer, reward) => {
        return { messages_and_choices: [...turn, answer], reward }
      })
      const job = { model_id: id, trajectory_groups: [{ trajectories }] }
      expect((await api.post('/preview/training-jobs', job)).status).toBe(200)
    }
  })

  it('for JSON gets a JSON answer', async () => {
    const api = await open()
    const text = await said(api, { response_format: { type: 'json_object' } })
    expect(JSON.parse(text)).toEqual({ answer: expect.any(String) })
  })

  it('gets a list with as many items as its prompt names, or with three to eight', async () => {
    const api = await open()
    const list = async (content: string, more: object = {}): Promise<unknown[]> => {
      const items = { type: 'object', properties: { tags: listOf }, required: ['tags'] }
      const schema = {
        type: 'object',
        properties: { inputs: { ...listOf, items, ...more } },
        required: ['inputs'],
      }
      const response_format = { type: 'json_schema', json_schema: { name: 'inputs', schema } }
      const asked = { messages: [{ role: 'user', content }], response_format }
      return JSON.parse(await said(api, asked)).inputs
    }
    const listOf = { type: 'array', items: { type: 'string' } }
    expect(await list('Generate four inputs.')).toHaveLength(4)
    expect(await list('Generate 30 diverse inputs.')).toHaveLength(30)
    expect(await list('Generate 30 diverse inputs.', { maxItems: 5 })).toHaveLength(5)
    expect(await list('Generate four inputs.', { minItems: 6 })).toHaveLength(6)
    const some = await list('Generate inputs.')
    for (const each of [some, ...some.map((input) => (input as { tags: string[] }).tags)]) {
      expect(each.length).toBeGreaterThanOrEqual(3)
      expect(each.length).toBeLessThanOrEqual(8)
    }
  })

  it('gets usage in a stream only if it asks for it', async () => {
    const api = await open()
    const { usage } = await ask(api, { n: 2, seed: 3 })
    const streamed = async (stream_options?: object) => {
      const text: string = await ask(api, { n: 2, seed: 3, stream: true, stream_options })
      return chunksIn(text)
    }
    expect((await streamed()).filter((chunk) => 'usage' in chunk)).toEqual([])
    expect((await streamed({ include_usage: false })).filter((chunk) => 'usage' in chunk)).toEqual(
      [],
    )
    const atTheEnd = await streamed({ include_usage: true })
    expect(atTheEnd.filter((chunk) => 'usage' in chunk)).toEqual([atTheEnd.at(-1)])
    expect(atTheEnd.at(-1)).toMatchObject({ choices: [], usage })
    const always = await streamed({ include_usage: true, continuous_usage_stats: true })
    expect(always.map((chunk) => chunk.usage.prompt_tokens)).toEqual(
      always.map(() => usage.prompt_tokens),
    )
    expect(always[0]!.usage.completion_tokens).toBe(0)
    const tokens = always.filter(({ choices }) => choices.length === 1 && choices[0].index === 0)
    expect(tokens.map((chunk) => chunk.usage.completion_tokens)).toEqual(
      tokens.map((_, place) => place + 1),
    )
    expect(always.at(-1)).toMatchObject({ choices: [], usage })
  })

  it.each([
    [{ n: 0 }, 'n must be at least 1, got 0.'],
    [{ n: 129 }, 'n must be at most 128, got 129.'],
    [{ n: 2, temperature: 0 }, 'n must be 1 when using greedy sampling, got 2.'],
    [{ presence_penalty: 3 }, 'presence_penalty must be in [-2, 2], got 3.0.'],
    [{ frequency_penalty: -2.5 }, 'frequency_penalty must be in [-2, 2], got -2.5.'],
    [{ repetition_penalty: 0 }, 'repetition_penalty must be greater than zero, got 0.0.'],
    [
      { temperature: -1 },
      'temperature must be non-negative, got -1.0. (parameter=temperature, value=-1.0)',
    ],
    [
      { temperature: 3 },
      'temperature must be in [0, 2], got 3.0. (parameter=temperature, value=3.0)',
    ],
    [{ top_p: 0 }, 'top_p must be in (0, 1], got 0.0. (parameter=top_p, value=0.0)'],
    [{ top_k: -2 }, 'top_k must be 0 (disable), or at least 1, got -2.'],
    [{ min_p: 1.5 }, 'min_p must be in [0, 1], got 1.5.'],
    [{ max_tokens: -1 }, 'max_tokens must be at least 1, got -1. (parameter=max_tokens, value=-1)'],
    [
      { max_completion_tokens: 0, max_tokens: 5 },
      'max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)',
    ],
    [{ min_tokens: -1 }, 'min_tokens must be greater than or equal to 0, got -1.'],
    [
      { min_tokens: 9, max_tokens: 5 },
      'min_tokens must be less than or equal to max_tokens=5, got 9.',
    ],
    [{ stop: ['a', ''] }, 'stop cannot contain an empty string.'],
    [
      { logit_bias: { the: 5, 7: 1 } },
      "logit_bias contains key(s) that cannot be converted to integer token IDs: ['the'] (parameter=logit_bias, value=['the'])",
    ],
    [
      { top_logprobs: 2 },
      'when using `top_logprobs`, `logprobs` must be set to true. (parameter=top_logprobs)',
    ],
    [
      { top_logprobs: -2, logprobs: true },
      '`top_logprobs` must be a positive value or -1. (parameter=top_logprobs, value=-2)',
    ],
    [
      { top_logprobs: 'x', logprobs: true },
      '`top_logprobs` must be an integer. (parameter=top_logprobs, value=x)',
    ],
    [
      { top_logprobs: 30, logprobs: true },
      'Requested sample logprobs of 30, which is greater than max allowed: 20 (parameter=logprobs, value=30)',
    ],
    [
      { stream_options: { include_usage: true } },
      'Stream options can only be defined when `stream=True`. (parameter=stream_options)',
    ],
    [
      { tools: [] },
      '`tools` must not be an empty array. Either provide at least one tool or omit the field entirely. (parameter=tools)',
    ],
    [
      { tool_choice: 'required' },
      'When using `tool_choice`, `tools` must be set. (parameter=tool_choice)',
    ],
    [
      { tool_choice: 'sometimes', tools: [weather] },
      'Invalid value for `tool_choice`: sometimes! Only named tools, "none", "auto" or "required" are supported. (parameter=tool_choice)',
    ],
    [
      { tool_choice: { type: 'function' }, tools: [weather] },
      'Invalid value for `function`: `None` in `tool_choice`! Correct usage: `{"type": "function", "function": {"name": "my_function"}}` (parameter=tool_choice.function)',
    ],
    [
      { tool_choice: { type: 'function', function: {} }, tools: [weather] },
      'Expected field `name` in `function` in `tool_choice`! Correct usage: `{"type": "function", "function": {"name": "my_function"}}` (parameter=tool_choice.function.name)',
    ],
    [
      { tool_choice: { type: 'function', function: { name: 'get_time' } }, tools: [weather] },
      'The tool specified in `tool_choice` does not match any of the specified `tools` (parameter=tool_choice)',
    ],
    [
      { response_format: { type: 'json_schema' } },
      "When response_format type is 'json_schema', the 'json_schema' field must be provided. (parameter=response_format)",
    ],
  ])('with %j is refused with the words of vLLM', async (more, message) => {
    const api = await open()
    const param = /\(parameter=([\w.]+)/.exec(message)?.[1] ?? null
    const error = { message, type: 'BadRequestError', param, code: 400 }
    for (const host of [api, api.inference]) expect(await refusal(host, more)).toEqual(error)
  })

  it.each([
    [{ stop: Array(17).fill('x') }, 'stop', /^stop: expected at most 16 texts, got \["x"/],
    [
      { structured_outputs: { json: `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}` } },
      'structured_outputs.json',
      /^structured_outputs\.json: expected a JSON Schema/,
    ],
    [
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', schema: { type: 'strange' } },
        },
      },
      null,
      /^Failed to transform json schema into a grammar: response_format\.json_schema\.schema\.type: /,
    ],
    [{ messages: [] }, 'messages', /^messages: expected at least one message, got \[\]$/],
    [
      { messages: [{ role: 'critic' }] },
      'messages[0].role',
      /one of developer, system, .*"critic"/,
    ],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content', /expected a text, or a list .*null/],
    [{ messages: [{ role: 'tool', content: null }] }, 'messages[0].content', /got null/],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', /got 5/],
    [{ messages: [{ role: 'user', content: [5] }] }, 'messages[0].content', /got \[5\]/],
  ])('with %j is refused with words of ours', async (more, param, message) => {
    const error = { type: 'BadRequestError', param, code: 400, message: saying(message) }
    expect(await refusal(await open(), more)).toEqual(error)
  })

  it.each([
    [
      { n: 'many' },
      'body.n',
      "1 validation error:\n  {'type': 'int_parsing', 'loc': 'body.n', 'msg': 'Input should be a valid integer, unable to parse string as an integer', 'input': 'many'}",
    ],
    [
      { stop: [1] },
      'body.stop',
      "2 validation errors:\n  {'type': 'string_type', 'loc': 'body.stop', 'msg': 'Input should be a valid string', 'input': '<list of 1 items>'}\n  {'type': 'string_type', 'loc': 'body.stop.0', 'msg': 'Input should be a valid string', 'input': '1'}",
    ],
    [{ return_token_ids: 2 }, 'body.return_token_ids', /bool_parsing/],
    [{ stream: true, stream_options: 5 }, 'body.stream_options', /model_attributes_type/],
    [
      { stream: true, stream_options: { include_usage: 'maybe' } },
      'body.stream_options.include_usage',
      /unable to interpret input/,
    ],
    [{ logit_bias: [] }, 'body.logit_bias', /dict_type/],
    [{ logit_bias: { 5: 'high' } }, 'body.logit_bias.5', /float_parsing/],
    [{ min_tokens: null }, 'body.min_tokens', /int_type/],
    [{ tools: [{ type: 'x' }] }, 'body.tools.0.type', /^2 validation errors:[^]*Field required/],
    [{ tools: 5 }, 'body.tools', /Input should be a valid list/],
    [
      { response_format: { type: 'xml' } },
      'body.response_format.type',
      /Input should be 'text', 'json_object', 'json_schema' or 'structural_tag'/,
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: true } } },
      'body.response_format.json_schema.schema',
      /dict_type/,
    ],
    [{ n: `a${'😀'.repeat(150)}` }, 'body.n', /'input': 'a(?:😀){150}'\}$/u],
    [{ n: `a${'😀'.repeat(250)}` }, 'body.n', /'input': 'a(?:😀){199}\.\.\.\[truncated\]'\}$/u],
    [{ tools: Array(20).fill(5) }, 'body.tools.0', /^20 validation errors:[^]*\.\.\.and 10 more/],
  ])('with the type of %j is refused with 400', async (more, param, message) => {
    const error = { type: 'Bad Request', param, code: 400, message: saying(message) }
    expect(await refusal(await open(), more)).toEqual(error)
  })

  it('can have values of other types that convert without loss', async () => {
    const api = await open()
    const body = await ask(api, { n: '2', max_tokens: 2.0, logprobs: 'yes', temperature: '0.7' })
    expect(body.choices).toHaveLength(2)
    expect(body.choices[0].logprobs.content).toHaveLength(2)
    const stream: string = await ask(api, { stream: 1, stream_options: { include_usage: 'true' } })
    expect(stream).toContain('"usage":{')
  })

  it.each([
    ['values of logit_bias beyond 100, which the server cuts down', { logit_bias: { 5: 101 } }],
    ['null for omitted fields', { temperature: null, n: null, stop: null, response_format: null }],
    ['unknown fields', { nvext: { extra_fields: ['engine_data'] }, top_k: 5 }],
    [
      'messages without content, and content in parts',
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: '' },
          { role: 'assistant', content: null },
        ],
      },
    ],
  ])('can have %s', async (_what, more) => {
    expect((await ask(await open(), more)).choices).toHaveLength(1)
  })

  it('can have images, which count as 85 tokens each', async () => {
    const api = await open()
    const text = { type: 'text', text: 'Describe it.' }
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const tokens = async (content: object[]): Promise<number> => {
      return (await ask(api, { messages: [{ role: 'user', content }] })).usage.prompt_tokens
    }
    expect(await tokens([text, image])).toBe((await tokens([text])) + 85)
  })

  it.each([
    ['auto', 'tool_calls'],
    ['required', 'tool_calls'],
    ['none', 'stop'],
    // The answer ends when the arguments end.
    [{ type: 'function', function: { name: 'get_weather' } }, 'stop'],
  ])('that offers a tool with the choice %j ends with %s', async (tool_choice, finish_reason) => {
    const { choices } = await ask(await open(), { tools: [weather], tool_choice })
    const calls = choices[0].message.tool_calls?.map((call: ToolCall) => call.function.name)
    expect([choices[0].finish_reason, calls]).toEqual([
      finish_reason,
      tool_choice === 'none' ? undefined : ['get_weather'],
    ])
  })

  it('that is not JSON is refused by the inference host with the position of the error', async () => {
    const api = await open()
    const answer = await api.inference.post('/chat/completions', '{"model": }')
    const message = 'The body is not valid JSON: Expecting value at character 11'
    const error = { message, type: 'BadRequestError', param: null, code: 400 }
    expect(answer).toMatchObject({ status: 400, body: { error } })
  })
})

it('with a malformed call in its history is answered with a note, or refused as older servers do', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"city": "Par' } }
  const history = [
    ...messages,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'This is not JSON.' },
  ]
  const asked = async (chat: object) => {
    const emulator = createEmulator({ scenario: { name: 'mine', chat } })
    const answer = await clientOf(emulator).post('/chat/completions', {
      model: base,
      messages: history,
    })
    return { answer, effects: emulator.requests.all()[0]!.effects }
  }
  const usual = await asked({})
  expect(usual.answer.status).toBe(200)
  expect(usual.effects.join()).toContain('for which older servers answer 400')
  const { answer } = await asked({ refuse_malformed_calls: true })
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    'Unterminated string starting at: line 1 column 10 (char 9)',
  ])
})

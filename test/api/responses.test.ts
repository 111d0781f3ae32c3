import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { dataIn, eventsIn } from '../support/events.js'
import { describeTransports } from '../support/transports.js'

const model = 'example/base-8b-instruct'
const END = 100_265

const tool = {
  type: 'function',
  name: 'find',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

const scenario: ScenarioInput = {
  name: 'x',
  extensions: ['responses'],
  chat: {
    rules: [
      { match: { user: 'count' }, answer: 'one two three' },
      { match: { user: 'refuse' }, answer: { refusal: 'Not that.' } },
      {
        match: { user: 'both' },
        answer: { content: 'Wait.', tool_calls: [{ name: 'find', arguments: { city: 'Oslo' } }] },
      },
      { match: { user: 'filter' }, answer: { content: 'a', finish_reason: 'content_filter' } },
      {
        match: { user: 'slow' },
        answer: 'one two',
        pace: { first_token: '1s', tokens_per_second: 1 },
      },
      { match: { user: 'echo' }, answer: 'system: {{system}}' },
    ],
  },
}

function withoutIds(item: object): object {
  return { ...item, id: 0, call_id: 0 }
}

function create() {
  const emulator = createEmulator({ scenario, clock: 'manual' })
  const { inference } = clientOf(emulator)
  return { emulator, ask: (body: object) => inference.post('/responses', { model, ...body }) }
}

describeTransports('responses', (open) => {
  it('answer completely', async () => {
    const { inference } = await open({ scenario })
    const asked = { model, input: 'count', instructions: 'Be brief.', return_token_ids: true }
    const { status, body } = await inference.post('/responses', asked)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^resp_\w{24}$/),
      object: 'response',
      created_at: 1_767_225_600,
      model,
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: 'Be brief.',
      metadata: null,
      output: [
        {
          id: expect.stringMatching(/^msg_\w+$/),
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'one two three', annotations: [], logprobs: [] }],
        },
      ],
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
      background: false,
      max_output_tokens: null,
      max_tool_calls: null,
      previous_response_id: null,
      prompt: null,
      reasoning: null,
      service_tier: 'auto',
      text: null,
      top_logprobs: 0,
      truncation: 'disabled',
      usage: {
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 19,
      },
      user: null,
      token_generations: [
        {
          prompt_token_ids: expect.any(Array),
          output_indices: [0],
          output_tokens: [
            { token_id: 606, logprob: expect.any(Number), text: 'one' },
            { token_id: 1403, logprob: expect.any(Number), text: ' two' },
            { token_id: 2380, logprob: expect.any(Number), text: ' three' },
            { token_id: END, logprob: expect.any(Number), text: '<|im_end|>' },
          ],
        },
      ],
    })
  })

  it('are streamed as typed events with numbers, the last one with the whole response', async () => {
    const { inference } = await open({ scenario })
    const include = ['message.output_text.logprobs']
    const asked = { model, input: 'both', stream: true, include, temperature: 0 }
    const events = eventsIn((await inference.post('/responses', asked)).body)
    expect(events.map(({ event }) => event)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      ...Array(6).fill('response.function_call_arguments.delta'),
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    const data = events.map((each) => each.data)
    expect(data.map(({ type }) => type)).toEqual(events.map(({ event }) => event))
    expect(data.map((each) => each.sequence_number)).toEqual(data.map((_each, index) => index))
    const joined = (type: string): string =>
      data.flatMap((each) => (each.type === type ? each.delta : [])).join('')
    expect(joined('response.output_text.delta')).toBe('Wait.')
    expect(joined('response.function_call_arguments.delta')).toBe('{"city":"Oslo"}')
    const { body } = await inference.post('/responses', { ...asked, stream: false })
    expect(data.at(-1).response.output.map(withoutIds)).toEqual(body.output.map(withoutIds))
    const done = data.filter(({ type }) => type === 'response.output_item.done')
    expect(done.map(({ item }) => item)).toEqual(data.at(-1).response.output)
  })
})

describe('a response', () => {
  it('has the log probabilities of its text, if they are asked for', async () => {
    const { ask } = create()
    const asked = { input: 'count', include: ['message.output_text.logprobs'], top_logprobs: 2 }
    const [item] = (await ask(asked)).body.output
    expect(item.content[0].logprobs).toEqual(
      ['one', ' two', ' three'].map((token) => ({
        token,
        logprob: expect.any(Number),
        bytes: [...new TextEncoder().encode(token)],
        top_logprobs: [expect.objectContaining({ token }), expect.anything()],
      })),
    )
  })

  it('reads items: messages, calls, results; and ignores reasoning', async () => {
    const { ask, emulator } = create()
    let seen: readonly unknown[] = []
    const answer = ({ messages }: { messages: readonly unknown[] }): string => {
      seen = messages
      return 'ok'
    }
    emulator.follow({
      name: 'y',
      extensions: ['responses'],
      chat: { rules: [{ match: {}, answer }] },
    })
    const { status } = await ask({
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'Obey.' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look:' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I will.', annotations: [] }] },
        { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'find', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Oslo' },
        {
          type: 'function_call_output',
          call_id: 'c2',
          output: [{ type: 'input_text', text: 'Rome' }],
        },
      ],
    })
    expect(status).toBe(200)
    const call = (id: string) => ({
      id,
      type: 'function',
      function: { name: 'find', arguments: '{}' },
    })
    expect(seen).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Obey.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
      { role: 'assistant', content: 'I will.', tool_calls: [call('c1'), call('c2')] },
      { role: 'tool', tool_call_id: 'c1', content: 'Oslo' },
      { role: 'tool', tool_call_id: 'c2', content: 'Rome' },
    ])
  })

  it('calls a tool of the request, and stops after its result', async () => {
    const { ask } = create()
    const input = [{ role: 'user', content: 'Where?' }]
    const { body } = await ask({ input, tools: [tool] })
    const [call] = body.output
    expect(call).toMatchObject({ type: 'function_call', name: 'find', status: 'completed' })
    expect(JSON.parse(call.arguments)).toEqual({ city: expect.any(String) })
    expect(body.tools).toEqual([tool])
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'Oslo' }
    const last = await ask({ input: [...input, call, result], tools: [tool] })
    expect(last.body.output[0].type).toBe('message')
    const forced = await ask({
      input: 'x',
      tools: [tool],
      tool_choice: { type: 'function', name: 'find' },
    })
    expect(forced.body.output[0].type).toBe('function_call')
  })

  it('has the structure that text.format asks for', async () => {
    const { ask } = create()
    const { name, parameters: schema } = tool
    const format = { type: 'json_schema', name, schema, strict: true }
    const { body } = await ask({ input: 'Where?', text: { format } })
    expect(JSON.parse(body.output[0].content[0].text)).toEqual({ city: expect.any(String) })
    expect(body.text).toEqual({ format })
  })

  it.each([
    ['count', { max_output_tokens: 2 }, 'max_output_tokens'],
    ['filter', {}, 'content_filter'],
  ])('is incomplete after %s', async (input, more, reason) => {
    const { ask } = create()
    const { body } = await ask({ input, ...more })
    expect(body).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
    expect(body.output[0].status).toBe('incomplete')
    const streamed = dataIn((await ask({ input, ...more, stream: true })).body).at(-1)
    expect(streamed).toMatchObject({
      type: 'response.completed',
      response: { status: 'incomplete' },
    })
  })

  it('refuses as a part of a message', async () => {
    const { ask } = create()
    const { body } = await ask({ input: 'refuse' })
    expect(body.output[0].content).toEqual([{ type: 'refusal', refusal: 'Not that.' }])
    const events = eventsIn((await ask({ input: 'refuse', stream: true })).body)
    expect(events.map(({ event }) => event)).toContain('response.refusal.done')
  })

  it('comes token by token at the pace of the scenario', async () => {
    const { ask, emulator } = create()
    const asking = ask({ input: 'slow', stream: true })
    for (let second = 0; second < 2; second++) {
      await expect.poll(() => emulator.engine.delayed.size).toBe(1)
      emulator.clock.advance('1s')
    }
    expect((await asking).body).toContain('response.completed')
  })

  it.each([
    [{}, 'input: Field required', 'input'],
    [{ input: [] }, 'input: expected a text, or a list of items, got []', 'input'],
    [{ input: [1] }, 'input[0]: expected an item, got 1', 'input[0]'],
    [
      { input: [{ type: 'item_reference', id: 'x' }] },
      'input[0].type: expected message, function_call, function_call_output or reasoning, got "item_reference"',
      'input[0].type',
    ],
    [
      { input: [{ role: 'critic', content: 'x' }] },
      /^input\[0\]\.role: expected one of user/,
      'input[0].role',
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'audio' }] }] },
      /^input\[0\]\.content\[0\]\.type: expected input_text/,
      'input[0].content[0].type',
    ],
    [
      { input: [{ type: 'function_call', name: 'f' }] },
      'input[0].call_id: expected a text, got null',
      'input[0].call_id',
    ],
    [
      { input: 'x', tools: [{ type: 'web_search' }] },
      'tools[0].type: expected "function", got "web_search"',
      'tools[0].type',
    ],
    [
      { input: 'x', tools: [{ type: 'function' }] },
      /^1 validation error:\n {2}\{'type': 'missing', 'loc': 'body.tools.0.name'/,
      'body.tools.0.name',
      'Bad Request',
    ],
    [{ input: 'x', max_output_tokens: 0 }, /^max_output_tokens/, 'max_output_tokens'],
    [
      { input: 'x', text: { format: { type: 'json_schema', name: 'x' } } },
      /^text\.format\.schema: expected a JSON Schema/,
      'text.format.schema',
    ],
    [
      { input: 'x', text: { format: { type: 'xml' } } },
      /^1 validation error:\n {2}\{'type': 'literal_error', 'loc': 'body.text.format.type'/,
      'body.text.format.type',
      'Bad Request',
    ],
    [
      { input: 'x', prompt: { id: 'p' } },
      'prompt template is not supported (parameter=prompt)',
      'prompt',
    ],
    [
      { input: 'x', background: true },
      'background: expected false: the emulator stores no responses, got true',
      'background',
    ],
    [{ input: 'x', conversation: 'c' }, /^conversation: expected nothing/, 'conversation'],
    [{ input: 'x', include: 'all' }, 'include: expected a list, got "all"', 'include'],
    [{ input: 'x', top_logprobs: 21 }, /^Requested sample logprobs of 21/, 'logprobs'],
  ])('refuses %j', async (body, message, param, type = 'BadRequestError') => {
    const { ask } = create()
    const answer = await ask(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toEqual({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      type,
      param,
      code: 400,
    })
  })

  it('knows no earlier response, as the server without a store', async () => {
    const { ask } = create()
    const answer = await ask({ input: 'x', previous_response_id: 'resp_1' })
    expect(answer.status).toBe(404)
    expect(answer.body.error).toEqual({
      message: "Response with id 'resp_1' not found.",
      type: 'invalid_request_error',
      param: 'response_id',
      code: 404,
    })
  })
})

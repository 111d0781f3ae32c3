import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { dataIn, eventsIn } from '../support/events.js'
import { describeTransports } from '../support/transports.js'

const model = 'example/base-8b-instruct'
const END = 100_265

const tool = {
  name: 'find',
  description: 'Finds a city.',
  input_schema: { properties: { city: { type: 'string' } }, required: ['city'] },
}

const scenario: ScenarioInput = {
  name: 'x',
  extensions: ['messages'],
  chat: {
    rules: [
      { match: { user: 'count' }, answer: 'one two three' },
      {
        match: { user: 'both' },
        answer: { content: 'Wait.', tool_calls: [{ name: 'find', arguments: { city: 'Oslo' } }] },
      },
      { match: { user: 'broken' }, answer: { tool_calls: [{ name: 'find', arguments: '{"ci' }] } },
      { match: { user: 'filter' }, answer: { content: 'a', finish_reason: 'content_filter' } },
      { match: { user: 'nothing' }, answer: '' },
      {
        match: { user: 'slow' },
        answer: 'one two three',
        pace: { first_token: '1s', tokens_per_second: 1 },
      },
      { match: { user: 'busy' }, answer: { error: 529, message: 'Overloaded' } },
    ],
  },
}

const user = (content: unknown) => [{ role: 'user', content }]

function create() {
  const emulator = createEmulator({ scenario, clock: 'manual' })
  const { inference } = clientOf(emulator)
  const ask = (body: object) => inference.post('/messages', { model, max_tokens: 99, ...body })
  return { emulator, inference, ask }
}

describeTransports('messages', (open) => {
  it('answer completely', async () => {
    const { inference } = await open({ scenario })
    const tokens = { return_token_ids: true, logprobs: true }
    const asked = { model, max_tokens: 99, messages: user('count'), ...tokens }
    const { status, body } = await inference.post('/messages', asked)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_\w{24}$/),
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'one two three' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 8, output_tokens: 4 },
      prompt_token_ids: expect.any(Array),
      token_ids: [606, 1403, 2380, END],
      logprobs: Array(4).fill(expect.any(Number)),
    })
    expect(body.prompt_token_ids).toHaveLength(8)
    const { body: plain } = await inference.post('/messages', {
      ...asked,
      return_token_ids: false,
      logprobs: false,
    })
    expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['token_ids', 'logprobs']))
  })

  it('are streamed as named events', async () => {
    const { inference } = await open({ scenario })
    const tokens = { return_token_ids: true, logprobs: true, temperature: 0 }
    const asked = { model, max_tokens: 99, messages: user('both'), ...tokens }
    const events = eventsIn((await inference.post('/messages', { ...asked, stream: true })).body)
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      ...Array(6).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events.every(({ event, data }) => data.type === event)).toBe(true)
    const { body } = await inference.post('/messages', asked)
    const data = events.map((each) => each.data)
    const deltas = data
      .filter(({ type }) => type === 'content_block_delta')
      .map(({ delta }) => delta)
    expect(deltas.map(({ text = '' }) => text).join('')).toBe('Wait.')
    const input = deltas.map(({ partial_json: json = '' }) => json).join('')
    expect(JSON.parse(input)).toEqual(body.content[1].input)
    expect(data[0].message.prompt_token_ids).toEqual(body.prompt_token_ids)
    expect(data.at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: body.usage,
      token_ids: body.token_ids,
      logprobs: body.logprobs,
    })
  })

  it('are counted without being answered', async () => {
    const { inference, emulator } = await open({ scenario })
    const { body } = await inference.post('/messages/count_tokens', {
      model,
      messages: user('count'),
    })
    expect(body).toEqual({ input_tokens: 8, context_management: { original_input_tokens: 8 } })
    expect(emulator.requests.all().at(-1)!.usage).toBeUndefined()
    const unknown = await inference.post('/messages/count_tokens', {
      model: 'nope',
      messages: user('x'),
    })
    expect(unknown).toMatchObject({ status: 404, body: { type: 'error' } })
  })
})

it('a stream of messages comes token by token at the pace of the scenario', async () => {
  await using emulator = createEmulator({ scenario, clock: 'auto' })
  const start = emulator.clock.now()
  const asked = { model, max_tokens: 99, messages: user('slow'), stream: true }
  const { body } = await clientOf(emulator).inference.post('/messages', asked)
  expect(body).toContain('message_stop')
  expect(emulator.clock.now() - start).toBe(3000)
})

describe('a message', () => {
  it('reads blocks as the server does', async () => {
    const { ask, emulator } = create()
    let seen: readonly unknown[] = []
    const answer = ({ messages }: { messages: readonly unknown[] }): string => {
      seen = messages
      return 'ok'
    }
    emulator.follow({
      name: 'y',
      extensions: ['messages'],
      chat: { rules: [{ match: {}, answer }] },
    })
    const source = { type: 'base64', media_type: 'image/png', data: 'AA==' }
    const { status } = await ask({
      system: [
        { type: 'text', text: 'Be ' },
        { type: 'text', text: 'brief.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look:' },
            { type: 'image', source },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'x' },
            { type: 'text', text: 'I will.' },
            { type: 'tool_use', id: 'c1', name: 'find', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [
                { type: 'text', text: 'found' },
                { type: 'image', source: { type: 'url', url: 'http://a/b' } },
              ],
            },
            { type: 'text', text: 'And now?' },
          ],
        },
        { role: 'system', content: ' And polite.' },
      ],
    })
    expect(status).toBe(200)
    const image = (url: string) => ({ type: 'image_url', image_url: { url } })
    expect(seen).toEqual([
      { role: 'system', content: 'Be brief. And polite.' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Look:' }, image('data:image/png;base64,AA==')],
      },
      {
        role: 'assistant',
        content: 'I will.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { role: 'user', content: [image('http://a/b')] },
      { role: 'user', content: 'And now?' },
    ])
  })

  it.each([
    [{ messages: user('count') }, 'end_turn', null],
    [{ messages: user('count'), max_tokens: 2 }, 'max_tokens', null],
    [{ messages: user('count'), stop_sequences: [' two'] }, 'stop_sequence', ' two'],
    [{ messages: user('both') }, 'tool_use', null],
    [
      { messages: user('x'), tools: [tool], tool_choice: { type: 'tool', name: 'find' } },
      'tool_use',
      null,
    ],
    [{ messages: user('filter') }, 'refusal', null],
  ])('ends for a reason: %j', async (body, reason, sequence) => {
    const { ask } = create()
    expect((await ask(body)).body).toMatchObject({ stop_reason: reason, stop_sequence: sequence })
    const { delta } = dataIn((await ask({ ...body, stream: true })).body).at(-2)
    expect(delta).toEqual({ stop_reason: reason, stop_sequence: sequence })
  })

  it('calls a tool of the request, and stops after its result', async () => {
    const { ask } = create()
    const { body } = await ask({ messages: user('Where?'), tools: [tool] })
    const [call] = body.content
    expect(call).toMatchObject({
      type: 'tool_use',
      name: 'find',
      input: { city: expect.any(String) },
    })
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'Oslo' }
    const turns = [
      ...user('Where?'),
      { role: 'assistant', content: body.content },
      ...user([result]),
    ]
    const last = await ask({ messages: turns, tools: [tool] })
    expect(last.body.content[0].type).toBe('text')
    const none = await ask({
      messages: user('Where?'),
      tools: [tool],
      tool_choice: { type: 'none' },
    })
    expect(none.body.content[0].type).toBe('text')
  })

  it('has the structure that output_config asks for', async () => {
    const { ask } = create()
    const format = { type: 'json_schema', schema: tool.input_schema }
    const { body } = await ask({ messages: user('Where?'), output_config: { format } })
    expect(JSON.parse(body.content[0].text)).toMatchObject({ city: expect.any(String) })
  })

  it('has no input if the arguments are not JSON, and no block without a token', async () => {
    const { ask } = create()
    const { body } = await ask({ messages: user('broken') })
    expect(body.content).toMatchObject([{ type: 'tool_use', name: 'find', input: {} }])
    expect((await ask({ messages: user('nothing') })).body.content).toEqual([])
  })

  it.each([
    [{ max_tokens: undefined, messages: user('x') }, 'max_tokens: Field required'],
    [{ max_tokens: 0, messages: user('x') }, 'max_tokens must be positive (parameter=max_tokens)'],
    [{ messages: [] }, /^messages: expected at least one message/],
    [
      { messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].role: expected user, assistant or system, got "tool"',
    ],
    [
      { messages: user(1) },
      'messages[0].content: expected a text, or a list of content blocks, got 1',
    ],
    [
      { messages: user([{ type: 'document' }]) },
      'messages[0].content[0].type: expected text, image, tool_use, tool_result, thinking or redacted_thinking, got "document"',
    ],
    [
      { messages: user('x'), system: 5 },
      'system: expected a text, or a list of content blocks, got 5',
    ],
    [
      { messages: user('x'), tools: [{ name: 'f' }] },
      'tools[0].input_schema: expected a JSON Schema, got null',
    ],
    [
      { messages: user('x'), tools: [tool], tool_choice: { type: 'tool' } },
      "tool_choice.name is required when type is 'tool' (parameter=tool_choice)",
    ],
    [
      { messages: user('x'), tools: [tool], tool_choice: { type: 'all' } },
      'tool_choice.type: expected auto, any, tool or none, got "all"',
    ],
    [
      { messages: user('x'), stop_sequences: 5 },
      /^2 validation errors:\n {2}\{'type': 'string_type', 'loc': 'body.stop_sequences'/,
      'Bad Request',
    ],
    [
      {
        messages: user('x'),
        tools: [{ name: 'f', input_schema: { type: 'object', allOf: [false] } }],
      },
      /^Failed to transform json schema into a grammar: tools\[0\]\.input_schema/,
    ],
  ])('refuses %j', async (body, message, type = 'BadRequestError') => {
    const { ask } = create()
    const answer = await ask(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      type: 'error',
      error: {
        type,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      },
    })
  })

  it('has errors in its own form, those of the scenario as well', async () => {
    const { ask, inference } = create()
    expect((await ask({ model: 'nope', messages: user('x') })).body).toEqual({
      type: 'error',
      error: { type: 'NotFoundError', message: 'The model `nope` does not exist.' },
    })
    expect(await ask({ messages: user('busy') })).toMatchObject({
      status: 529,
      body: { type: 'error', error: { message: 'Overloaded' } },
    })
    expect((await inference.post('/messages', '{"model":')).body).toMatchObject({
      type: 'error',
      error: { type: 'BadRequestError', message: expect.stringContaining('not valid JSON') },
    })
  })
})

import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { dataIn } from '../support/events.js'
import { describeTransports } from '../support/transports.js'

const model = 'example/base-8b-instruct'
const END = 100_265

const scenario: ScenarioInput = {
  name: 'x',
  extensions: ['completions'],
  chat: {
    rules: [
      { match: { user: 'count' }, answer: 'one two three' },
      { match: { user: 'call' }, answer: { tool_calls: [{ name: 'f', arguments: { a: 1 } }] } },
      { match: { user: 'busy' }, answer: { error: 429 } },
      {
        match: { user: 'slow' },
        answer: 'one two',
        pace: { first_token: '1s', tokens_per_second: 1 },
      },
      { match: {}, answer: 'You said {{user}}' },
    ],
  },
}

interface Choice {
  index: number
  text: string
  prompt_token_ids: number[]
  token_ids: number[]
}

function create() {
  const emulator = createEmulator({ scenario, clock: 'manual' })
  const { inference } = clientOf(emulator)
  return { emulator, ask: (body: object) => inference.post('/completions', { model, ...body }) }
}

describeTransports('completions', (open) => {
  it('answer completely', async () => {
    const { inference } = await open({ scenario })
    const asked = { model, prompt: 'count', return_token_ids: true, logprobs: 1 }
    const { status, body } = await inference.post('/completions', asked)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^cmpl-\w{24}$/),
      object: 'text_completion',
      created: 1_767_225_600,
      model,
      choices: [
        {
          index: 0,
          text: 'one two three',
          logprobs: {
            text_offset: [0, 3, 7, 13],
            token_logprobs: Array(4).fill(expect.any(Number)),
            tokens: ['one', ' two', ' three', '<|im_end|>'],
            top_logprobs: [
              { one: expect.any(Number) },
              { ' two': expect.any(Number) },
              { ' three': expect.any(Number) },
              { '<|im_end|>': expect.any(Number) },
            ],
          },
          finish_reason: 'stop',
          stop_reason: null,
          prompt_logprobs: null,
          prompt_token_ids: [1868],
          token_ids: [606, 1403, 2380, END],
        },
      ],
      service_tier: null,
      system_fingerprint: null,
      usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
      kv_transfer_params: null,
    })
  })

  it('are streamed token by token, with the usage if it is asked for', async () => {
    const { inference } = await open({ scenario })
    const asked = { model, prompt: 'count', stream: true, return_token_ids: true, logprobs: 0 }
    const { body } = await inference.post('/completions', {
      ...asked,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    })
    const chunks = dataIn(body)
    expect(chunks.map((chunk) => chunk.choices?.[0]?.text ?? chunk.usage ?? chunk)).toEqual([
      'one',
      ' two',
      ' three',
      '',
      { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
      '[DONE]',
    ])
    const choices = chunks.slice(0, 4).map((chunk) => chunk.choices[0])
    expect(choices.map(({ token_ids: ids }) => ids)).toEqual([[606], [1403], [2380], [END]])
    expect(choices.map((choice) => choice.prompt_token_ids)).toEqual([
      [1868],
      undefined,
      undefined,
      undefined,
    ])
    expect(choices.map((choice) => choice.finish_reason)).toEqual([null, null, null, 'stop'])
    expect(choices.map(({ logprobs }) => logprobs.text_offset)).toEqual([[0], [3], [7], [13]])
    const counted = chunks.slice(0, 4).map(({ usage }) => usage.completion_tokens)
    expect(counted).toEqual([1, 2, 3, 4])
    const plain = await inference.post('/completions', asked)
    expect(dataIn(plain.body).some((chunk) => chunk.usage !== undefined)).toBe(false)
  })
})

describe('a completion', () => {
  it('answers each of several prompts as often as asked, in order', async () => {
    const { ask } = create()
    const { body } = await ask({ prompt: ['a', 'count'], n: 2, return_token_ids: true })
    expect(body.choices.map(({ index, text }: Choice) => [index, text])).toEqual([
      [0, 'You said a'],
      [1, 'You said a'],
      [2, 'one two three'],
      [3, 'one two three'],
    ])
    expect(body.choices.map((choice: Choice) => choice.prompt_token_ids)).toEqual([
      [64],
      [64],
      [1868],
      [1868],
    ])
    const tokens = body.choices.flatMap((choice: Choice) => choice.token_ids)
    expect(body.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: tokens.length })
    const streamed = await ask({ prompt: ['a', 'count'], n: 2, stream: true })
    const texts = ['', '', '', '']
    for (const { choices = [] } of dataIn(streamed.body)) {
      for (const { index, text } of choices) texts[index] += text
    }
    expect(texts).toEqual(body.choices.map(({ text }: Choice) => text))
  })

  it('reads prompts of token ids, one or several', async () => {
    const { ask } = create()
    const { body } = await ask({ prompt: [9906, 11, 1917], return_token_ids: true })
    expect(body.choices[0]).toMatchObject({
      text: 'You said Hello, world',
      prompt_token_ids: [9906, 11, 1917],
    })
    expect(body.usage.prompt_tokens).toBe(3)
    const several = await ask({ prompt: [[9906], [1868]] })
    expect(several.body.choices.map(({ text }: Choice) => text)).toEqual([
      'You said Hello',
      'one two three',
    ])
  })

  it('echoes the prompt, with the probabilities of its tokens', async () => {
    const { ask } = create()
    const asked = { prompt: 'Please count', echo: true, logprobs: 2 }
    const { body } = await ask(asked)
    const [{ text, logprobs }] = body.choices
    expect(text).toBe('Please countone two three')
    expect(logprobs.tokens).toEqual(['Please', ' count', 'one', ' two', ' three', '<|im_end|>'])
    expect(logprobs.token_logprobs[0]).toBeNull()
    expect(logprobs.top_logprobs[0]).toBeNull()
    expect(Object.keys(logprobs.top_logprobs[1])).toHaveLength(2)
    const plain = await ask({ ...asked, echo: false, temperature: 0 })
    const echoed = await ask({ ...asked, temperature: 0 })
    expect(echoed.body.choices[0].logprobs.token_logprobs.slice(2)).toEqual(
      plain.body.choices[0].logprobs.token_logprobs,
    )
    const streamed = await ask({ ...asked, stream: true })
    const texts = dataIn(streamed.body).map((chunk) => chunk.choices?.[0].text)
    expect(texts.slice(0, 3)).toEqual(['Please countone', ' two', ' three'])
  })

  it('leaves the echo out of the text if token ids are asked for, as the server does', async () => {
    const { ask } = create()
    const { body } = await ask({ prompt: 'count', echo: true, return_token_ids: true })
    expect(body.choices[0].text).toBe('one two three')
  })

  it('scores a prompt without generating anything', async () => {
    const { ask } = create()
    const { body } = await ask({ prompt: 'Please count', echo: true, max_tokens: 0, logprobs: 0 })
    expect(body.choices[0]).toMatchObject({
      text: 'Please count',
      finish_reason: 'length',
      logprobs: { tokens: ['Please', ' count'] },
    })
    expect(body.usage.completion_tokens).toBe(0)
  })

  it('has at most 16 tokens, unless it asks for more', async () => {
    const { ask } = create()
    const prompt = 'word '.repeat(30)
    const { body } = await ask({ prompt })
    expect(body.usage.completion_tokens).toBe(16)
    expect(body.choices[0].finish_reason).toBe('length')
    expect((await ask({ prompt, max_tokens: 20 })).body.usage.completion_tokens).toBe(20)
  })

  it('stops at a stop sequence, and names tokens by their ids', async () => {
    const { ask } = create()
    const asked = { prompt: 'count', stop: ' three', logprobs: 1, return_tokens_as_token_ids: true }
    const { body } = await ask(asked)
    expect(body.choices[0]).toMatchObject({
      text: 'one two',
      finish_reason: 'stop',
      stop_reason: ' three',
      logprobs: { tokens: ['token_id:606', 'token_id:1403', 'token_id:2380'] },
    })
  })

  it('writes a tool call as text', async () => {
    const { ask } = create()
    const { body } = await ask({ prompt: 'call' })
    expect(body.choices[0]).toMatchObject({ text: 'f{"a":1}', finish_reason: 'stop' })
  })

  it('takes the time that the scenario says', async () => {
    const { ask, emulator } = create()
    const asking = ask({ prompt: 'slow' })
    await expect.poll(() => emulator.engine.delayed.size).toBe(1)
    emulator.clock.advance('2s')
    expect((await asking).status).toBe(200)
  })

  it.each([
    [
      {},
      'Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)',
      'prompt',
    ],
    [
      { prompt: '' },
      'Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)',
      'prompt',
    ],
    [{ prompt: [] }, 'please provide at least one prompt', null],
    [
      { prompt: 1 },
      'prompt: expected a text, a list of texts, a list of token ids, or a list of lists of token ids, got 1',
      'prompt',
    ],
    [{ prompt: ['a', [1]] }, /^prompt: expected/, 'prompt'],
    [{ prompt: [200_000] }, 'Token id 200000 is out of vocabulary', 'prompt'],
    [{ prompt: 'x', suffix: 'y' }, 'suffix is not currently supported', null],
    [
      { prompt: 'x', logprobs: true },
      '`logprobs` must be an integer. (parameter=logprobs)',
      'logprobs',
    ],
    [{ prompt: 'x', logprobs: -1 }, /^`logprobs` must be a positive value/, 'logprobs'],
    [
      { prompt: 'x', logprobs: 21 },
      'Requested sample logprobs of 21, which is greater than max allowed: 20 (parameter=logprobs)',
      'logprobs',
    ],
    [{ prompt: 'x', max_tokens: 0 }, /^max_tokens must be at least 1, got 0\./, 'max_tokens'],
    [{ prompt: 'x', echo: 'yes' }, 'echo: expected true or false, got "yes"', 'echo'],
    [{ prompt: 'x', n: 0 }, 'n must be at least 1, got 0.', null],
    [{ prompt: 'x', stream_options: { include_usage: true } }, /^Stream options/, 'stream_options'],
  ])('refuses %j', async (body, message, param) => {
    const { ask } = create()
    const answer = await ask(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toEqual({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      type: 'BadRequestError',
      param,
      code: 400,
    })
  })

  it('answers an unknown model, and errors of the scenario, as a chat does', async () => {
    const { ask } = create()
    const unknown = await ask({ model: 'nope', prompt: 'x' })
    expect(unknown).toMatchObject({ status: 404, body: { error: { type: 'NotFoundError' } } })
    expect((await ask({ prompt: 'busy' })).status).toBe(429)
  })
})

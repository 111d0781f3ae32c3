import * as fc from 'fast-check'
import { decode } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { describeInProcess } from '../../support/transports.js'
import { clientOf, type Answer } from '../../support/api-client.js'
import { chunksIn } from '../../support/chat-text.js'

const model = 'example/base-8b-instruct'
const messages = [{ role: 'user', content: 'Name a color.' }]
const END = 100_265

/** What a client of a trainable model adds to every request. */
const managed = {
  return_token_ids: true,
  return_tokens_as_token_ids: true,
  nvext: { extra_fields: ['engine_data'] },
  chat_template_kwargs: { preserve_thinking: true },
}
const all = { ...managed, logprobs: true, top_logprobs: 2 }

type Body = Answer['body']

const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 } },
      required: ['city'],
    },
  },
}
const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }

const scenario: ScenarioInput = {
  name: 'x',
  chat: {
    rules: [
      { match: { user: 'say' }, answer: 'one two. three four' },
      { match: { user: 'emoji' }, answer: 'Zażółć 👩‍👩‍👧 日本語' },
      { match: { user: 'nothing' }, answer: '' },
      { match: { user: 'refuse' }, answer: { refusal: 'Not that.' } },
      { match: { user: 'filter' }, answer: { content: 'a', finish_reason: 'content_filter' } },
      {
        match: { user: 'call' },
        answer: {
          content: 'Let me see.',
          tool_calls: [{ name: 'get_weather', arguments: { city: 'Łódź' } }, { name: 'b' }],
        },
      },
    ],
  },
}

const kinds: [string, string, object][] = [
  ['words', 'hello', {}],
  ['a text of a rule', 'say', {}],
  ['characters of several tokens', 'emoji', {}],
  ['a cut inside a character', 'emoji', { max_tokens: 6 }],
  ['nothing', 'nothing', {}],
  ['a refusal', 'refuse', {}],
  ['a filtered answer', 'filter', {}],
  ['several tool calls', 'call', {}],
  ['a drawn tool call', 'hello', { tools: [tool] }],
  [
    'a named tool',
    'hello',
    { tools: [tool], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
  ],
  ['a cut tool call', 'hello', { tools: [tool], max_tokens: 4 }],
  ['a stop sequence', 'say', { stop: ['. th', 'four'] }],
  ['a stop sequence inside a token', 'say', { stop: 'wo' }],
  ['a limit', 'say', { max_tokens: 3 }],
  ['a limit of just the text', 'say', { max_tokens: 5 }],
  ['several choices', 'hello', { n: 3 }],
  [
    'structured output',
    'hello',
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
  ],
]

function expectAgreement({ choices, usage, prompt_token_ids: prompt }: Body): void {
  expect(prompt).toHaveLength(usage.prompt_tokens)
  expect(choices.flatMap((choice: Body) => choice.token_ids)).toHaveLength(usage.completion_tokens)
  for (const { token_ids: ids, logprobs } of choices) {
    expect(logprobs.content.map(({ token }: Body) => token)).toEqual(
      ids.map((id: number) => `token_id:${id}`),
    )
  }
}

/** The same answer from the chunks of a stream. */
function joined(text: string): Body {
  const chunks = chunksIn(text)
  const [first, ...rest] = chunks
  expect(rest.filter((chunk) => 'prompt_token_ids' in chunk)).toEqual([])
  const choices = first.choices.map(({ index }: Body) => {
    const own = chunks.flatMap((chunk) => {
      return chunk.choices.filter((each: Body) => each.index === index)
    })
    const refused = own.flatMap(({ logprobs }) => logprobs?.refusal ?? [])
    const { finish_reason, stop_reason } = own.at(-1)
    return {
      index,
      token_ids: own.flatMap(({ token_ids: ids }) => ids ?? []),
      logprobs: {
        content: own.flatMap(({ logprobs }) => logprobs?.content ?? []),
        refusal: refused.length > 0 ? refused : null,
      },
      finish_reason,
      stop_reason,
    }
  })
  return { choices, usage: chunks.at(-1).usage, prompt_token_ids: first.prompt_token_ids }
}

describeInProcess('token ids', (open) => {
  it.each(kinds)('of %s agree with log probabilities and usage', async (_kind, content, more) => {
    const api = await open({ scenario })
    const asked = { model, messages: [{ role: 'user', content }], seed: 3, ...all, ...more }
    const streamed = { ...asked, stream: true, stream_options: { include_usage: true } }
    for (const host of [api, api.inference]) {
      const { body: whole } = await host.post('/chat/completions', asked)
      expectAgreement(whole)
      const { body: stream } = await host.post('/chat/completions', streamed)
      expect(whole).toMatchObject(joined(stream))
    }
  })
})

async function ask(body: object, emulator = createEmulator({ scenario })): Promise<Body> {
  const asked = { model, messages, ...body }
  const { status, body: completion } = await clientOf(emulator).post('/chat/completions', asked)
  expect(status).toBe(200)
  return completion
}

const saying = (content: string): object => ({ messages: [{ role: 'user', content }] })

describe('token ids', () => {
  it('are the tokens of the text and the final token', async () => {
    const [choice] = (await ask({ ...all, ...saying('say') })).choices
    expect(choice.token_ids.at(-1)).toBe(END)
    expect(decode(choice.token_ids.slice(0, -1))).toBe('one two. three four')
    expect(choice).toMatchObject({ finish_reason: 'stop', stop_reason: null })
  })

  it('include those of a stop sequence, whose text is left out', async () => {
    const [choice] = (await ask({ ...all, ...saying('say'), stop: ['four', '.'] })).choices
    expect(choice).toMatchObject({
      message: { content: 'one two' },
      finish_reason: 'stop',
      stop_reason: '.',
    })
    expect(decode(choice.token_ids)).toBe('one two.')
  })

  it('include the beginning of a stop sequence where max_tokens cuts it, and so does the text', async () => {
    const asked = { ...all, ...saying('say'), stop: '. three' }
    const { choices } = await ask({ ...asked, max_tokens: 3 })
    expect(choices[0]).toMatchObject({ message: { content: 'one two.' }, finish_reason: 'length' })
    expect(decode(choices[0].token_ids)).toBe('one two.')
    const cutOff = createEmulator({
      scenario: { ...scenario, chat: { ...scenario.chat, cut_off: 1 } },
    })
    const [cut] = (await ask({ ...asked, seed: 1 }, cutOff)).choices
    expect(cut.message.content).toBe(decode(cut.token_ids))
  })

  it('end with the stop sequence that is complete first: neither text nor calls follow', async () => {
    const stopped = async (content: string, stop: string | string[]): Promise<Body> => {
      return (await ask({ ...all, ...saying(content), stop })).choices[0]
    }
    const end = { finish_reason: 'stop', stop_reason: 'two' }
    const nested = await stopped('say', ['one two. three', 'two'])
    expect(nested).toMatchObject({ message: { content: 'one ' }, ...end })
    const called = await stopped('call', 'me')
    expect(called).toMatchObject({ message: { content: 'Let ' }, ...end, stop_reason: 'me' })
    expect(called.message).not.toHaveProperty('tool_calls')
    expect(decode(called.token_ids)).toBe('Let me')
  })

  it('leave out the last token where max_tokens leaves no room for it', async () => {
    const asked = { ...all, ...saying('say') }
    const { choices } = await ask({ ...asked, max_tokens: 5 })
    expect(choices[0]).toMatchObject({
      message: { content: 'one two. three four' },
      finish_reason: 'length',
    })
    expect(choices[0].token_ids).toHaveLength(5)
    const { choices: whole } = await ask({ ...asked, max_tokens: 6 })
    expect(whole[0].finish_reason).toBe('stop')
  })

  it('of the prompt include the chat template and the texts', async () => {
    const { prompt_token_ids: ids } = await ask(all)
    expect(decode(ids)).toBe('<|im_start|>user\nName a color.<|im_end|>\n<|im_start|>assistant\n')
  })

  it('appear as tokens in log probabilities, together with their bytes', async () => {
    const { choices } = await ask({ ...all, ...saying('say') })
    const [{ token, bytes, top_logprobs: top }] = choices[0].logprobs.content
    expect(token).toBe(`token_id:${choices[0].token_ids[0]}`)
    expect(Buffer.from(bytes).toString()).toBe('one')
    expect(top[0].token).toBe(token)
    for (const each of top) {
      expect(each.token).toMatch(/^token_id:\d+$/)
      expect(Buffer.from(each.bytes).toString()).toBe(each.token)
    }
  })

  it('are null unless the request asks for them', async () => {
    const body = await ask({ logprobs: true, ...saying('say') })
    expect(body).toMatchObject({ prompt_token_ids: null, choices: [{ token_ids: null }] })
    const tokens = body.choices[0].logprobs.content.map(({ token }: Body) => token)
    expect(tokens).toEqual(['one', ' two', '.', ' three', ' four', '<|im_end|>'])
    expect(tokens).toHaveLength(body.usage.completion_tokens)
  })

  it('do not appear if the request does not ask for log probabilities', async () => {
    const { choices, usage } = await ask(managed)
    expect(choices[0].logprobs).toBeNull()
    expect(choices[0].token_ids).toHaveLength(usage.completion_tokens)
  })

  it('agree for any text', async () => {
    let said = ''
    const emulator = createEmulator({
      scenario: { name: 'x', chat: { rules: [{ match: {}, answer: () => said }] } },
    })
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.option(fc.integer({ min: 1, max: 12 })),
        async (text, limit) => {
          said = text
          const body = await ask({ ...all, max_tokens: limit }, emulator)
          expectAgreement(body)
          const [{ message }] = body.choices
          expect(limit === null ? message.content : text).toBe(text)
        },
      ),
      { numRuns: 100 },
    )
  })
})

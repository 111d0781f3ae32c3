import { expect, it } from 'vitest'
import type { EmulatorOptions, ScenarioInput } from '../../../src/index.js'
import { TOKENIZER_FOLDER, tokenizerContent } from '../../support/tokenizer.js'
import { describeInProcess } from '../../support/transports.js'
import { ask, replyTo, tokensUpTo, type Choice, type Message, type Turn } from './turns.js'

type Drift = NonNullable<NonNullable<ScenarioInput['chat']>['drift']>

const model = 'org/model'
const lossy = { type: 'Replace', pattern: { String: 'y' }, content: '' }
const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, day: {} } },
  },
}
const rules = [
  { match: { user: 'text' }, answer: 'It is sunny.' },
  { match: { user: 'word' }, answer: 'lazy' },
  { match: { user: 'think' }, answer: '<think>\nTwo and two.\n</think>\n\n4' },
  {
    match: { user: 'call' },
    answer: {
      content: 'Let me see.',
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Paris', day: 'today' } }],
    },
  },
]

/** The options of an emulator with and without a tokenizer. */
const models: [string, EmulatorOptions][] = [
  ['the built-in encoding', { baseModels: [model] }],
  ['a tokenizer', { baseModels: [{ id: model, tokenizer: TOKENIZER_FOLDER }] }],
]

interface Turns {
  first: Turn
  second: Turn
  choice: Choice
  /** How many tokens of the first turn the second prompt begins with. */
  common: number
  sampled: number[]
}

describeInProcess('drift', (open) => {
  async function twoTurns(
    options: EmulatorOptions,
    { drift, user, ...more }: { drift?: Drift; user: string; tools?: object[]; stream?: boolean },
  ): Promise<Turns> {
    const api = await open({ ...options, scenario: { name: 'x', chat: { rules, drift } } })
    // Both templates keep thinking, unless the drift strips it.
    const settings = { model, chat_template_kwargs: { preserve_thinking: true }, ...more }
    const messages: Message[] = [{ role: 'user', content: user }]
    const first = await ask(api, { messages, ...settings })
    const choice = first.choices[0]!
    const next = [...messages, choice.message, ...replyTo(choice.message, 'And then?')]
    const second = await ask(api, { messages: next, ...settings })
    const sampled = tokensUpTo(first, choice)
    const differs = sampled.findIndex((id, index) => second.prompt[index] !== id)
    return { first, second, choice, sampled, common: differs === -1 ? sampled.length : differs }
  }

  it.each(models)('strips the thinking of earlier answers, with %s', async (_encoding, options) => {
    for (const user of ['think', 'hello']) {
      const { first, choice, sampled, common } = await twoTurns(options, {
        drift: 'stripsThinking',
        user,
      })
      expect(choice.message.content).toMatch(/^<think>\n[^]+\n<\/think>\n\n\S/)
      expect(common).toBe(first.prompt.length)
      expect(common).toBeLessThan(sampled.length)
    }
    const { sampled, common } = await twoTurns(options, { user: 'think' })
    expect(common).toBe(sampled.length)
    const other = await twoTurns(options, { drift: 'stripsThinking', user: 'text' })
    expect(other.common).toBe(other.sampled.length)
  })

  it.each(models)('samples other tokens of the same text, with %s', async (_encoding, options) => {
    for (const user of ['text', 'call', 'hello']) {
      for (const stream of [false, true]) {
        const asked = { user, tools: [tool], stream }
        const { choice, sampled, common } = await twoTurns(options, {
          drift: 'retokenizes',
          ...asked,
        })
        const usual = await twoTurns(options, asked)
        expect(usual.common).toBe(usual.sampled.length)
        expect(choice.message.content).toEqual(usual.choice.message.content)
        expect(choice.message.tool_calls?.map((call) => call.function)).toEqual(
          usual.choice.message.tool_calls?.map((call) => call.function),
        )
        expect(choice.token_ids.length).toBeGreaterThan(usual.choice.token_ids.length)
        expect(common).toBeLessThan(sampled.length)
      }
    }
  })

  it('samples the same tokens if others would lose a letter', async () => {
    const { tokenizer, ...others } = tokenizerContent()
    const content = { ...others, tokenizer: { ...tokenizer, normalizer: lossy } }
    const { choice } = await twoTurns(
      { baseModels: [{ id: model, tokenizer: content }] },
      { drift: 'retokenizes', user: 'word' },
    )
    expect(choice.message.content).toBe('lazy')
  })

  it.each(models)(
    'leaves arguments as they are that are too deep, with %s',
    async (_encoding, options) => {
      const api = await open({
        ...options,
        scenario: { name: 'x', chat: { drift: 'reordersTools' } },
      })
      const deep = '['.repeat(20_000) + ']'.repeat(20_000)
      const call = { id: 'c', type: 'function', function: { name: 'get_weather', arguments: deep } }
      const messages = [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'b' },
      ]
      const { status } = await api.post('/chat/completions', { model, messages })
      expect(status).toBe(200)
    },
  )

  it.each(models)('reorders tools and arguments, with %s', async (_encoding, options) => {
    for (const user of ['text', 'call']) {
      const asked = { user, tools: [tool] }
      const { first, common } = await twoTurns(options, { drift: 'reordersTools', ...asked })
      expect(common).toBeLessThan(first.prompt.length)
    }
    // Without tools, only the arguments of earlier calls change.
    const { first, sampled, common } = await twoTurns(options, {
      drift: 'reordersTools',
      user: 'call',
    })
    expect(common).toBeGreaterThan(first.prompt.length)
    expect(common).toBeLessThan(sampled.length)
    const text = await twoTurns(options, { drift: 'reordersTools', user: 'text' })
    expect(text.common).toBe(text.sampled.length)
  })

  it('agrees with usage and log probabilities, and with the limit of an answer', async () => {
    const api = await open({ scenario: { name: 'x', chat: { rules, drift: 'retokenizes' } } })
    const body = { model: 'example/base-8b-instruct', logprobs: true, return_token_ids: true }
    const messages = [{ role: 'user', content: 'text' }]
    for (const max_tokens of [1, 2, 3, 100]) {
      const { body: chat } = await api.post('/chat/completions', { ...body, messages, max_tokens })
      const [{ token_ids: ids, logprobs }] = chat.choices
      expect(ids.length).toBe(Math.min(max_tokens, 6))
      expect(chat.usage.completion_tokens).toBe(ids.length)
      expect(logprobs.content).toHaveLength(ids.length)
    }
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { describeInProcess } from '../../support/transports.js'
import {
  ask,
  replyTo,
  tokensUpTo,
  type Choice,
  type Message,
  type Turn,
} from '../../support/turns.js'

const tool = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
}

const scenario: ScenarioInput = {
  name: 'x',
  chat: {
    rules: [
      { match: { user: 'text' }, answer: '\n Zażółć 👩‍👩‍👧 日本語, and  two spaces.  ' },
      { match: { user: 'refuse' }, answer: { refusal: 'Not that.' } },
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

const answers: [string, string, object][] = [
  ['a text', 'text', {}],
  ['a text that is cut', 'text', { max_tokens: 7 }],
  ['a text that nobody wrote', 'hello', {}],
  ['a refusal', 'refuse', {}],
  ['tool calls', 'call', {}],
  ['a tool call that is cut', 'call', { max_tokens: 17 }],
  ['a tool call that is drawn', 'hello', { tools: [tool] }],
  [
    'a tool call that is demanded',
    'hello',
    { tools: [tool], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
  ],
  ['structured output', 'hello', { response_format: { type: 'json_object' } }],
  ['two choices', 'hello', { n: 2 }],
]

describeInProcess('the tokens of a conversation', (open) => {
  it.each(answers)('continue after %s', async (_answer, content, more) => {
    const api = await open({ scenario })
    for (const stream of [false, true]) {
      const messages: Message[] = [{ role: 'user', content }]
      const first = await ask(api, { messages, stream, ...more })
      for (const choice of first.choices) {
        const { message } = choice
        const next = [...messages, message, ...replyTo(message, 'And then?')]
        const { prompt } = await ask(api, { messages: next, stream, ...more })
        const sampled = tokensUpTo(first, choice)
        expect(prompt.slice(0, sampled.length)).toEqual(sampled)
        expect(prompt.length).toBeGreaterThan(sampled.length)
      }
    }
  })
})

const text = fc.string({
  unit: fc.constantFrom(' ', '\n', 'a', 'the', '.', '"', '{', 'ö', '👩', '7', '\\'),
})
const call = fc.record({
  name: fc.constantFrom('get_weather', 'find'),
  arguments: fc.oneof(text, fc.dictionary(fc.constantFrom('city', 'day'), text)),
})
const answer = fc.oneof(
  text,
  fc.record({
    content: fc.option(text, { nil: undefined }),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  }),
)
const turn = fc.record({
  user: text,
  answer,
  n: fc.integer({ min: 1, max: 3 }),
  stream: fc.boolean(),
  max_tokens: fc.option(fc.integer({ min: 1, max: 30 })),
})

// Hundreds of chats take a second or two, and half a minute beside much other work.
describe('the tokens of any conversation', { timeout: 60_000 }, () => {
  it('continue, turn by turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(text),
        fc.boolean(),
        fc.array(turn, { minLength: 2, maxLength: 6 }),
        async (system, hasTools, turns) => {
          let asked = 0
          const rules = [{ match: {}, answer: () => turns[asked]!.answer }]
          const api = clientOf(createEmulator({ scenario: { name: 'x', chat: { rules } } }))
          const messages: Message[] = system === null ? [] : [{ role: 'system', content: system }]
          let before: { turn: Turn; choice: Choice } | undefined
          for (const { user, answer: _answer, ...settings } of turns) {
            const said = before === undefined ? [{ role: 'user', content: user }] : []
            messages.push(...said, ...(before ? replyTo(before.choice.message, user) : []))
            const tools = hasTools ? { tools: [tool] } : {}
            const after = await ask(api, { messages, ...tools, ...settings })
            const sampled = before ? tokensUpTo(before.turn, before.choice) : []
            expect(after.prompt.slice(0, sampled.length)).toEqual(sampled)
            const choice = after.choices.at(-1)!
            messages.push(choice.message)
            before = { turn: after, choice }
            asked++
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})

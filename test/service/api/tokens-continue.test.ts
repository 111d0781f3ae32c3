import { Tokenizer } from '@huggingface/tokenizers'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions, type ScenarioInput } from '../../../src/index.js'
import { BASE_MODEL, clientOf } from '../../support/api-client.js'
import { TOKENIZER_FOLDER, tokenizerContent } from '../../support/tokenizer.js'
import { ask, replyTo, tokensUpTo, type Choice, type Message, type Turn } from './turns.js'

interface Encoding {
  readonly name: string
  readonly options: EmulatorOptions
  readonly model: string
  /**
   * What texts begin with. With a tokenizer, a prompt and an answer that begins with a line feed share a token, as on the
   * server.
   */
  readonly lead: string
  /** The last token of a whole answer. A tool call that is cut does not continue, as on the server. */
  readonly end?: number | undefined
  /** How many tokens an answer may have at most. */
  readonly most: { readonly min: number; readonly max: number }
}

const { tokenizer, config } = tokenizerContent()
const model = 'org/model'

const encodings: readonly Encoding[] = [
  {
    name: 'the built-in encoding',
    options: {},
    model: BASE_MODEL,
    lead: '\n',
    most: { min: 1, max: 30 },
  },
  {
    name: 'a tokenizer',
    options: { baseModels: [{ id: model, tokenizer: TOKENIZER_FOLDER }] },
    model,
    lead: 'I',
    end: new Tokenizer(tokenizer, config).encode('<|end|>', { add_special_tokens: false }).ids[0],
    most: { min: 20, max: 60 },
  },
]

const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const tools = [tool]

function scenarioWith(lead: string): ScenarioInput {
  const call = { name: 'get_weather', arguments: { city: 'Łódź' } }
  const composed = { name: 'b', arguments: { c: 'e\u0301' } }
  const written = { name: 'get_weather', arguments: '{"city":"Paris"}' }
  const rules = [
    { match: { user: 'text' }, answer: `${lead} Zażółć 👩‍👩‍👧 日本語, and  two spaces.  ` },
    { match: { user: 'think' }, answer: '<think>\nTwo and two.\n</think>\n\n4' },
    { match: { user: 'refuse' }, answer: { refusal: 'Not that.' } },
    { match: { user: 'compose' }, answer: { content: 'Cafe\u0301', tool_calls: [composed] } },
    {
      match: { user: 'call' },
      answer: { content: 'Let me see.', tool_calls: [call, { name: 'b' }] },
    },
    { match: { user: 'written' }, answer: { tool_calls: [written] } },
  ]
  return { name: 'x', chat: { rules } }
}

const answers: readonly (readonly [what: string, content: string, more: object])[] = [
  ['a text', 'text', {}],
  ['a text that is cut', 'text', { max_tokens: 7 }],
  ['a text that nobody wrote', 'hello', {}],
  ['thinking that is kept', 'think', { chat_template_kwargs: { preserve_thinking: true } }],
  ['a refusal', 'refuse', {}],
  ['tool calls', 'call', { tools }],
  ['a tool call that is drawn', 'hello', { tools }],
  ['a tool call that is demanded', 'hello', { tools, tool_choice: tool }],
  ['a tool call in other spaces than those of the template', 'written', { tools }],
  ['characters that a tokenizer composes', 'compose', { tools }],
  ['structured output', 'hello', { response_format: { type: 'json_object' } }],
  ['two choices', 'hello', { n: 2 }],
]
const CUT_CALL = ['a tool call that is cut', 'call', { max_tokens: 17 }] as const

// Hundreds of chats take a second or two, and half a minute beside much other work.
describe.each(encodings)('with $name, the tokens', { timeout: 60_000 }, (encoding) => {
  const { options, lead, end, most } = encoding
  const clientWith = (scenario: ScenarioInput) => clientOf(createEmulator({ ...options, scenario }))

  it.each(end === undefined ? [...answers, CUT_CALL] : answers)(
    'of a conversation continue after %s',
    async (_answer, content, more) => {
      const api = clientWith(scenarioWith(lead))
      for (const stream of [false, true]) {
        const settings = { model: encoding.model, stream, ...more }
        const messages: Message[] = [{ role: 'user', content }]
        const first = await ask(api, { messages, ...settings })
        for (const choice of first.choices) {
          const next = [...messages, choice.message, ...replyTo(choice.message, 'And then?')]
          const { prompt } = await ask(api, { messages: next, ...settings })
          const sampled = tokensUpTo(first, choice)
          expect(prompt.slice(0, sampled.length)).toEqual(sampled)
          expect(prompt.length).toBeGreaterThan(sampled.length)
        }
      }
    },
  )

  const text = fc
    .string({ unit: fc.constantFrom(' ', '\n', 'a', 'the', '.', '"', '{', 'ö', '👩', '7', '\\') })
    .map((rest) => (end === undefined ? rest : lead + rest))
  const object = fc.dictionary(fc.constantFrom('city', 'day'), text)
  const call = fc.record({
    name: fc.constantFrom('get_weather', 'find'),
    arguments: end === undefined ? fc.oneof(text, object) : object,
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
    max_tokens: fc.option(fc.integer(most)),
  })

  it('of any conversation continue, turn by turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(text),
        fc.boolean(),
        fc.array(turn, { minLength: 2, maxLength: 6 }),
        async (system, hasTools, turns) => {
          let asked = 0
          const rules = [{ match: {}, answer: () => turns[asked]!.answer }]
          const api = clientWith({ name: 'x', chat: { rules } })
          const messages: Message[] = system === null ? [] : [{ role: 'system', content: system }]
          let before: { turn: Turn; choice: Choice } | undefined
          for (const { user, answer: _answer, ...settings } of turns) {
            const said = before === undefined ? [{ role: 'user', content: user }] : []
            messages.push(...said, ...(before ? replyTo(before.choice.message, user) : []))
            const more = { model: encoding.model, ...(hasTools && { tools }), ...settings }
            const after = await ask(api, { messages, ...more })
            const sampled = before ? tokensUpTo(before.turn, before.choice) : []
            expect(after.prompt.slice(0, sampled.length)).toEqual(sampled)
            const choice = after.choices.at(-1)!
            const isCut = end !== undefined && choice.token_ids.at(-1) !== end
            if (isCut && choice.message.tool_calls) return
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

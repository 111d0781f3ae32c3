import * as fc from 'fast-check'

/** A request for a chat, and the answer that the emulator gives. */
export interface Conversation {
  messages: object[]
  tools?: object[]
  chat_template_kwargs?: { enable_thinking?: boolean }
  answer: string
}

/** What the templates of a tokenizer can render. */
export interface Abilities {
  /** Tools, thinking, and several messages of one role after the other. */
  agents: boolean
}

// oxfmt-ignore
const PIECES = [
  'the', 'Name a color.', ' and then', 'hello', 'HELLO', "don't", 'naïve', 'e\u0301', 'Zażółć gęślą jaźń', ' ', '  ', '\n', '\n\n',
  '\t', '日本語のテキスト', '안녕하세요', 'مرحبا بالعالم', 'Привет, мир', 'हिन्दी', 'ไทย', '👩‍👩‍👧', '🙂', '\u200b', '1', '12345',
  '3.14', '{"a": [1, null]}', 'def f(x):\n    return x ** 2\n', '<b>bold</b>', '&amp;', '\\n', '"', "'", '`code`', '$$x^2$$', '...', '—',
  'https://example.test/?q=1&r=%20', 'a'.repeat(40), '-'.repeat(30), '<|im_end|>', '<end_of_turn>', '<think>', '</think>', '\r\n', 'ﬁ', 'Å',
]

/** Texts of several scripts, with code, spaces and what looks like special tokens. */
const text = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join(''))

const word = fc.constantFrom('city', 'day', 'größe', 'a b', 'type', 'x')
// Numbers with a point and no fraction are left out: JavaScript does not tell 1.0 from 1.
const { value } = fc.letrec<{ value: unknown; list: unknown; map: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer({ min: -1e6, max: 1e6 }),
    fc.constantFrom(0.5, -2.25, true, false, null),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  map: fc.dictionary(word, tie('value'), { maxKeys: 3 }),
}))
const map = fc.dictionary(word, value, { maxKeys: 4 })

const tool = fc
  .record({
    name: fc.constantFrom('get_weather', 'find', 'größe'),
    description: fc.option(text, { nil: undefined }),
    parameters: fc.option(map, { nil: undefined }),
    strict: fc.option(fc.boolean(), { nil: undefined }),
  })
  .map((called) => ({ type: 'function', function: called }))

const call = fc.record({
  id: fc.constant('call_1'),
  type: fc.constant('function'),
  function: fc.record({
    name: fc.constantFrom('get_weather', 'find'),
    arguments: map.map((each) => JSON.stringify(each)),
  }),
})

const content = fc.oneof(
  { weight: 3, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.array(
      text.map((each) => ({ type: 'text', text: each })),
      { minLength: 1, maxLength: 3 },
    ),
  },
)

const thought = fc
  .tuple(text, text)
  .map(([thinking, said]) => `<think>\n${thinking}\n</think>\n\n${said}`)

/** A turn of an agent: a user, and answers with tool calls and their results. */
const agentTurn = fc
  .tuple(
    content,
    fc.array(
      fc.record({
        role: fc.constant('assistant'),
        content: fc.option(fc.oneof(text, thought)),
        tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
        reasoning: fc.option(text),
      }),
      { maxLength: 2 },
    ),
    content,
    fc.oneof(text, thought),
  )
  .map(([asked, calls, result, said]) => [
    { role: 'user', content: asked },
    ...calls.flatMap((each) => [
      each,
      ...each.tool_calls.map(() => ({ role: 'tool', tool_call_id: 'call_1', content: result })),
    ]),
    { role: 'assistant', content: said },
  ])

/** Some turns have no answer, which templates with strict roles refuse. */
const plainTurn = fc
  .tuple(content, text, fc.integer({ min: 1, max: 30 }))
  .map(([asked, said, draw]) => [
    { role: 'user', content: asked },
    ...(draw === 30 ? [] : [{ role: 'assistant', content: said }]),
  ])

/** An answer begins and ends with a letter: templates remove the spaces around it. */
const answer = text.map((each) => `I ${each.replaceAll(/<[^>]*>/g, '')} x`)

/** Draws conversations that a template can render. The same seed draws the same ones. */
export function conversationsFor(
  { agents }: Abilities,
  { count, seed }: { count: number; seed: number },
): Conversation[] {
  const opening = fc.option(content.map((each) => ({ role: 'system', content: each })))
  const turns = fc.array(agents ? agentTurn : plainTurn, { maxLength: 4 })
  const kwargs = fc.option(fc.record({ enable_thinking: fc.boolean() }), { nil: undefined })
  const tools = fc.option(fc.array(tool, { minLength: 1, maxLength: 3 }), { nil: undefined })
  const conversation = fc
    .record({ opening, turns, asked: content, answer, kwargs, tools })
    .map((drawn): Conversation => ({
      messages: [
        ...(drawn.opening ? [drawn.opening] : []),
        ...drawn.turns.flat(),
        { role: 'user', content: drawn.asked },
      ],
      ...(agents && drawn.tools && { tools: drawn.tools }),
      ...(agents && drawn.kwargs && { chat_template_kwargs: drawn.kwargs }),
      answer: drawn.answer,
    }))
  return fc.sample(conversation, { numRuns: count, seed })
}

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'

const emulator = createEmulator({
  clock: 'instant',
  extensions: true,
  scenario: {
    name: 'x',
    chat: {
      rules: [
        { match: { user: 'both' }, answer: { content: 'a', tool_calls: [{ name: 'f' }] } },
        { match: { user: 'empty' }, answer: { tool_calls: [{ name: 'g', arguments: '' }] } },
      ],
    },
  },
})

const text = fc.oneof(fc.constantFrom('both', 'empty', 'f', '', 'x', 'user', '\ud800'), fc.string())
const odd = fc.jsonValue({ maxDepth: 3 })
const integer = fc.constantFrom(1, 2, 3, 20)
/** Usually a value of the right kind. */
const maybe = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: usual }, odd)
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  maybe(fc.record(fields, { requiredKeys: [] }))
const list = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  maybe(fc.array(item, { maxLength: 4 }))

const schema = record({
  type: fc.constantFrom('object', 'string', 'x'),
  properties: record({ a: record({ type: fc.constantFrom('integer', 'string') }) }),
  required: list(fc.constantFrom('a', 'b')),
})
const common = {
  stream: fc.boolean(),
  n: integer,
  seed: integer,
  stop: fc.oneof(text, list(text)),
  logprobs: fc.boolean(),
  return_token_ids: fc.boolean(),
  return_tokens_as_token_ids: fc.boolean(),
}
const part = record({
  type: fc.constantFrom(
    'text',
    'input_text',
    'output_text',
    'refusal',
    'input_image',
    'image',
    'tool_use',
    'tool_result',
    'thinking',
  ),
  text,
  refusal: text,
  image_url: text,
  source: record({ type: fc.constantFrom('url', 'base64'), url: text, data: text }),
  id: text,
  tool_use_id: text,
  name: text,
  input: odd,
  content: fc.oneof(text, odd),
})
const content = fc.oneof(text, list(part))
const role = fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool')
const choice = record({
  type: fc.constantFrom('function', 'auto', 'any', 'tool', 'none'),
  name: fc.constantFrom('f', 'g'),
})

const fields: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  completions: {
    ...common,
    prompt: fc.oneof(text, list(text), list(fc.nat(100_300)), list(list(fc.nat(300)))),
    max_tokens: integer,
    logprobs: integer,
    echo: fc.boolean(),
    stream_options: record({ include_usage: fc.boolean(), continuous_usage_stats: fc.boolean() }),
    suffix: fc.constant(null),
  },
  responses: {
    ...common,
    input: fc.oneof(
      text,
      list(
        record({
          type: fc.constantFrom(
            'message',
            'function_call',
            'function_call_output',
            'reasoning',
            'x',
          ),
          role,
          content,
          call_id: text,
          name: text,
          arguments: text,
          output: content,
        }),
      ),
    ),
    instructions: text,
    max_output_tokens: integer,
    tools: list(
      record({
        type: fc.constant('function'),
        name: fc.constantFrom('f', 'g'),
        parameters: schema,
      }),
    ),
    tool_choice: fc.oneof(fc.constantFrom('auto', 'none', 'required'), choice),
    text: record({
      format: record({
        type: fc.constantFrom('text', 'json_object', 'json_schema'),
        name: text,
        schema,
      }),
    }),
    include: list(fc.constant('message.output_text.logprobs')),
    top_logprobs: integer,
    metadata: odd,
    previous_response_id: fc.constant(null),
    background: fc.constant(false),
  },
  messages: {
    ...common,
    messages: list(record({ role, content })),
    system: fc.oneof(text, list(part)),
    max_tokens: integer,
    stop_sequences: list(text),
    tools: list(record({ name: fc.constantFrom('f', 'g'), input_schema: schema })),
    tool_choice: choice,
    output_config: record({ format: record({ type: fc.constant('json_schema'), schema }) }),
  },
}
/** What a request needs besides its model, with values that are right. */
const simple: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  completions: { prompt: text },
  responses: { input: text },
  messages: {
    messages: fc.tuple(fc.record({ role: fc.constant('user'), content: text })),
    max_tokens: integer,
  },
}
const paths = {
  completions: ['completions'],
  responses: ['responses'],
  messages: ['messages', 'messages/count_tokens'],
}

describe.each(Object.entries(paths))('any request of %s', (wire, [...endings]) => {
  it('is answered completely, or refused', { timeout: 60_000 }, async () => {
    const model = fc.constantFrom('example/base-8b-instruct', 'nope')
    const required = ['model', ...Object.keys(simple[wire]!)]
    const requiredKeys = required as 'model'[]
    const usual = fc.record({ model, ...fields[wire] }, { requiredKeys })
    const optional = Object.keys(fields[wire]!).filter((key) => !required.includes(key))
    // Few requests with many fields are accepted. These have at most two fields more.
    const short = fc
      .constantFrom(...optional)
      .chain((key) =>
        fc.record(
          { model, stream: fc.boolean(), ...simple[wire], [key]: fields[wire]![key]! },
          { requiredKeys },
        ),
      )
    const names = fc.constantFrom('model', 'stream_options', ...Object.keys(fields[wire]!))
    // Up to two fields get any value.
    const body = fc
      .tuple(usual, fc.dictionary(names, odd, { maxKeys: 2 }))
      .map(([plain, others]) => ({ ...plain, ...others }))
    const requests = fc.oneof({ weight: 14, arbitrary: body }, { weight: 6, arbitrary: short }, odd)
    const seen = new Set<number | 'stream'>()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...endings), requests, async (path, sent) => {
        const outcome = await emulator.handle('inference', {
          method: 'POST',
          base: 'http://host',
          path: `/v1/${path}`,
          query: '',
          headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
          body: new TextEncoder().encode(JSON.stringify(sent)),
        })
        if (outcome.kind === 'stream') {
          for await (const chunk of outcome.chunks) expect(chunk).toMatch(/\n\n$/)
          seen.add('stream')
          return
        }
        if (outcome.kind !== 'response') throw new Error(outcome.kind)
        seen.add(outcome.status)
        expect([200, 400, 404]).toContain(outcome.status)
        JSON.parse(outcome.body)
      }),
      { numRuns: 1500 },
    )
    expect(seen).toEqual(new Set([200, 400, 404, 'stream']))
    expect(emulator.journal.entries.filter((entry) => 'fault' in entry)).toEqual([])
  })
})

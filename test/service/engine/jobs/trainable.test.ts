import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TrainableCount } from '../../../../src/service/engine/jobs/trainable.js'

type Trajectory = Parameters<TrainableCount['add']>[0]

function countOf(trajectory: Trajectory) {
  const counted = new TrainableCount()
  counted.add(trajectory)
  const { tokens, choices, withLogprobs, exchanges } = counted
  return { tokens, choices, withLogprobs, exchanges }
}

const scored = (count: number) => Array.from({ length: count }, () => ({ logprob: -0.1 }))
const ids = [21, 22, 23]

/** A call of a tool, in the words of all wires. */
const weather = { name: 'weather', arguments: '{"in":"x"}', input: { in: 'x' } }
const call = { function: weather }

describe('a choice of a model', () => {
  const message = { role: 'assistant', content: 'Hello you' }

  it.each([
    ['its token ids first', { token_ids: ids, logprobs: { content: scored(2) } }, 3, 0],
    ['then its log probabilities', { logprobs: { content: scored(2) } }, 2, 1],
    [
      'the log probabilities of a refusal',
      { logprobs: { content: null, refusal: scored(4) } },
      4,
      1,
    ],
    [
      'the compact log probabilities of the client',
      { token_ids: ids, compact_logprobs: [0, 0, 0] },
      3,
      1,
    ],
    ['otherwise an estimate', { logprobs: null }, 3, 0],
    ['an estimate if there are no ids in the list', { token_ids: [] }, 3, 0],
    ['an estimate if an id is not an id', { token_ids: [1, '2'] }, 3, 0],
    ['the log probabilities of a completion', { art_completion_logprobs: [-0.1] }, 1, 1],
    ['an estimate if there are no log probabilities', { logprobs: { content: [] } }, 3, 0],
    ['an estimate if a log probability is not a number', { logprobs: { content: [{}] } }, 3, 0],
    ['the calls of tools', { message: { content: null, tool_calls: [call] } }, 5, 0],
    ['a refusal', { message: { content: null, refusal: 'No, thank you.' } }, 4, 0],
  ])('counts by %s', (_by, choice, tokens, withLogprobs) => {
    const counted = countOf({ messages_and_choices: [{ message, ...choice }] })
    expect(counted).toEqual({ tokens, choices: 1, withLogprobs, exchanges: 0 })
  })

  it('is not a message of an assistant, whose tokens are estimated', () => {
    const trajectory = { messages_and_choices: [{ ...message, token_ids: ids }] }
    expect(countOf(trajectory)).toEqual({ tokens: 3, choices: 0, withLogprobs: 0, exchanges: 0 })
  })

  it('counts in additional histories', () => {
    const history = { messages_and_choices: [{ message, token_ids: ids }] }
    expect(countOf({ ...history, additional_histories: [history, history] })).toMatchObject({
      tokens: 9,
      choices: 3,
    })
  })
})

describe('a captured HTTP call', () => {
  const count = (wire: string, response: unknown) =>
    countOf({ exchanges: { [wire]: [{ response }] } })
  const message = { role: 'assistant', content: 'Hi!' }
  const usage = { completion_tokens: 7 }

  it.each([
    [
      'chat_completions',
      { choices: [{ message, token_ids: ids, logprobs: { content: scored(3) } }] },
    ],
    ['chat_completions', { choices: [{ message, logprobs: { content: scored(3) } }] }],
    [
      'completions',
      { choices: [{ text: 'Hi!', token_ids: ids, logprobs: { token_logprobs: [0, 0, 0] } }] },
    ],
    ['completions', { choices: [{ text: 'Hi!', logprobs: { token_logprobs: [0, 0, 0] } }] }],
    [
      'responses',
      {
        output: [{}],
        token_generations: [{ output_tokens: scored(1) }, { output_tokens: scored(2) }],
      },
    ],
    [
      'responses',
      { output: [{}], token_generations: [{ token_ids: ids, compact_logprobs: [0, 0, 0] }] },
    ],
    ['messages', { content: [], token_ids: ids, logprobs: [0, 0, 0] }],
    ['messages', { content: [], logprobs: [0, 0, 0] }],
  ])('of %s counts by what it carries: %j', (wire, response) => {
    const expected = { tokens: 3, choices: 1, withLogprobs: 1, exchanges: 1 }
    expect(count(wire, response)).toEqual(expected)
    expect(count(wire, { ...response, usage })).toEqual(expected)
  })

  it.each([
    ['its usage', 7, 'chat_completions', { choices: [{ message }], usage }],
    ['its usage', 7, 'chat_completions', { choices: [{ message }, { message }], usage }],
    ['its usage', 7, 'completions', { choices: [{ text: 'Hi!', logprobs: null }], usage }],
    ['its usage', 7, 'responses', { output: [{ type: 'message' }], usage: { output_tokens: 7 } }],
    ['its usage', 7, 'messages', { content: [{ text: 'Hi!' }], usage: { output_tokens: 7 } }],
    ['its text', 1, 'chat_completions', { choices: [{ message }] }],
    ['its text', 1, 'completions', { choices: [{ text: 'Hi!' }] }],
    ['its text', 1, 'responses', { output: [{ type: 'message', content: [{ text: 'Hi!' }] }] }],
    // Four characters are one token.
    ['its text', 1, 'messages', { content: [{ type: 'text', text: 'Hey!' }] }],
    ['its calls', 5, 'chat_completions', { choices: [{ message: { tool_calls: [call] } }] }],
    ['its calls', 5, 'responses', { output: [{ type: 'function_call', ...weather }] }],
    ['its calls', 5, 'messages', { content: [{ type: 'tool_use', ...weather }] }],
  ])('counts otherwise by %s: %i tokens of %s %j', (_by, tokens, wire, response) => {
    expect(count(wire, response)).toMatchObject({ tokens, withLogprobs: 0, exchanges: 1 })
  })

  const usageOnly = [1e300, -1, 0.5, '7', null, NaN, Infinity, 10_000_001]
  it.each(usageOnly)('does not believe a usage of %j', (completion_tokens) => {
    const response = { choices: [{ message }], usage: { completion_tokens } }
    expect(count('chat_completions', response).tokens).toBe(1)
  })

  it.each<Record<string, unknown>>([
    {},
    { chat_completions: null },
    { chat_completions: 'abc' },
    { chat_completions: { 0: { response: {} } } },
    { chat_completions: [null, 1, 'x', [], {}] },
    { chat_completions: [{ response: null }, { response: [] }, { response: 'x' }] },
    { constructor: [{ response: { choices: [{ message, token_ids: ids }] } }] },
    { unknown_wire: [{ response: { choices: [{ message, token_ids: ids }] } }] },
  ])('counts as nothing if it is %j', (exchanges) => {
    const nothing = { tokens: 0, choices: 0, withLogprobs: 0, exchanges: 0 }
    expect(countOf({ exchanges })).toEqual(nothing)
  })

  it.each([
    { choices: null, usage },
    { choices: [null, 5, 'x', []], usage },
    { choices: [{ message: null, token_ids: ids }], usage },
    { choices: { length: 1e9 }, usage },
  ])('has no tokens without an answer: %j', (response) => {
    expect(count('chat_completions', response)).toMatchObject({ tokens: 0, choices: 0 })
  })

  it('never breaks the count', () => {
    const names = fc.constantFrom(
      'choices',
      'message',
      'content',
      'tool_calls',
      'function',
      'arguments',
      'name',
      'text',
      'logprobs',
      'token_logprobs',
      'token_ids',
      'logprob',
      'usage',
      'completion_tokens',
      'output',
      'output_tokens',
      'token_generations',
      'compact_logprobs',
      '__proto__',
    )
    const { any } = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, true, 0, -1, 1.5, 1e300, NaN, '', 'token_id:1', 'abcd'),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(names, tie('any'), { maxKeys: 6 }),
      ),
    }))
    const wires = ['chat_completions', 'completions', 'responses', 'messages']
    fc.assert(
      fc.property(fc.constantFrom(...wires), any, any, (wire, response, other) => {
        const exchanges = { [wire]: [{ response }, other] }
        const counted = countOf({ exchanges, messages_and_choices: [response, other] })
        expect(Number.isSafeInteger(counted.tokens)).toBe(true)
        expect(counted.tokens).toBeLessThan(20_000_100)
        expect(counted.withLogprobs).toBeLessThanOrEqual(counted.choices)
        expect(counted.exchanges).toBeLessThanOrEqual(2)
      }),
      { numRuns: 500 },
    )
  })
})

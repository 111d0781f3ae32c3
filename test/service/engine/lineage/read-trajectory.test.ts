import { describe, expect, it } from 'vitest'
import { hashOfMessages } from '../../../../src/service/engine/lineage/conversation-hash.js'
import { hashOfIds } from '../../../../src/service/engine/lineage/running-hash.js'
import { readTrajectory } from '../../../../src/service/engine/lineage/read-trajectory.js'

const ASK = { role: 'user', content: 'Where is the bird?' }

function choiceOf(message: object, more: object = {}): object {
  return { index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message }, ...more }
}

function callOf(id: string): object {
  return { id, type: 'function', function: { name: 'look', arguments: '{}' } }
}

function read(...messages_and_choices: unknown[]) {
  return readTrajectory({ messages_and_choices })
}

describe('the hash of a conversation', () => {
  it('differs if a text contains the next message', () => {
    const one = [{ role: 'user', content: 'Sing.assistantLa.' }]
    const two = [
      { role: 'user', content: 'Sing.' },
      { role: 'assistant', content: 'La.' },
    ]
    expect(hashOfMessages(one).value).not.toBe(hashOfMessages(two).value)
  })
})

describe('a trajectory', () => {
  it('has the beginnings of all of its histories', () => {
    const other = { role: 'user', content: 'Where is the cat?' }
    const answer = { role: 'assistant', content: 'Here.' }
    const trajectory = readTrajectory({
      messages_and_choices: [ASK],
      additional_histories: [{ messages_and_choices: [other, choiceOf(answer)] }],
    })
    const conversations = [[ASK], [other], [other, answer]]
    expect(trajectory.beginnings()).toEqual(
      conversations.map((messages) => hashOfMessages(messages).value),
    )
  })

  it('has no ids of tokens without ids', () => {
    const response = { output: [{ role: 'assistant', content: 'Here.' }] }
    const token_generations = [{ output_tokens: [null, { token_id: 5 }] }]
    const exchanges = { responses: [{ response: { ...response, token_generations } }] }
    expect(readTrajectory({ exchanges }).answers).toMatchObject([{ text: 'Here.', ids: 0 }])
  })

  it('names a call without a result if the conversation continues', () => {
    const called = { role: 'assistant', content: null, tool_calls: [callOf('call_0')] }
    expect(read(ASK, called, ASK).broken).toEqual([
      { turn: 1, why: 'a call of look without a result' },
    ])
    expect(read(ASK, called).broken).toEqual([])
  })

  it('has the ids of the tokens that its log probabilities name', () => {
    const named = (...tokens: string[]) => {
      const logprobs = { content: tokens.map((token) => ({ token })) }
      return read(ASK, choiceOf({ content: 'There.' }, { logprobs })).answers[0]!.ids
    }
    expect(named('token_id:5', 'token_id:6')).toBe(hashOfIds([5, 6]))
    expect(named('token_id:5', 'There')).toBe(hashOfIds([]))
  })
})

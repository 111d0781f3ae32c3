import { describe, expect, it } from 'vitest'
import { findPathProblem, removeAt, setAt } from '../../../src/base/text/json-edit.js'

const answer = () => ({
  choices: [
    { index: 0, logprobs: { content: [1, 2, 3] }, token_ids: [7, 8, 9] },
    { index: 1, logprobs: null, token_ids: [7] },
  ],
  usage: { completion_tokens: 4 },
})

describe('removeAt', () => {
  it('removes a field, or that of every item', () => {
    const json = answer()
    expect(removeAt(json, 'usage.completion_tokens')).toBe(true)
    expect(removeAt(json, 'choices.*.logprobs')).toBe(true)
    expect(json).toEqual({
      choices: [
        { index: 0, token_ids: [7, 8, 9] },
        { index: 1, token_ids: [7] },
      ],
      usage: {},
    })
  })

  it('removes items of lists, from either end, or all of them', () => {
    const json = answer()
    removeAt(json, 'choices.*.token_ids.-1')
    removeAt(json, 'choices.0.logprobs.content.*')
    removeAt(json, 'choices.1')
    expect(json.choices).toEqual([{ index: 0, logprobs: { content: [] }, token_ids: [7, 8] }])
  })

  it.each(['nothing', 'choices.7', 'choices.-3', 'choices.x', 'usage.*.x', '__proto__.x'])(
    'does nothing if there is no %s',
    (path) => {
      const json = answer()
      expect(removeAt(json, path)).toBe(false)
      expect(json).toEqual(answer())
    },
  )
})

describe('setAt', () => {
  it('sets a field where the map or list that contains it exists', () => {
    const json = answer()
    expect(setAt(json, 'usage.completion_tokens', 99)).toBe(true)
    expect(setAt(json, 'choices.*.finish_reason', null)).toBe(true)
    expect(setAt(json, 'missing.field', 1)).toBe(false)
    expect(setAt(json, 'choices.5', 1)).toBe(false)
    expect(json.usage).toEqual({ completion_tokens: 99 })
    expect(json.choices).toMatchObject([{ finish_reason: null }, { finish_reason: null }])
    expect(json).not.toHaveProperty('missing')
  })

  it('changes no prototype', () => {
    setAt(answer(), '__proto__.polluted', true)
    setAt(answer(), 'usage.__proto__', { polluted: true })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it.each(['text', 7, null, true])('does nothing to %s', (json) => {
    expect(setAt(json, 'a', 1)).toBe(false)
  })
})

it.each(['', '.', 'a.', '.a', 'a..b', ' a', 'a. b'])('the path "%s" is not valid', (path) => {
  expect(findPathProblem(path)).toContain('such as choices.*.logprobs')
})

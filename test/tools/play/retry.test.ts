import { describe, expect, it } from 'vitest'
import { messageOf, readJson } from '../../../src/service/contract/answer-text.js'
import { isWorthRetrying, waitBefore } from '../../../src/tools/play/retry.js'

function answer(status: number, headers: Record<string, string> = {}) {
  return { kind: 'answer', status, headers, body: '' } as const
}

describe('a retry', () => {
  it.each([408, 409, 429, 500, 503, 599])('follows status %d', (status) => {
    expect(isWorthRetrying(answer(status))).toBe(true)
  })

  it.each([400, 401, 404, 422])('does not follow status %d', (status) => {
    expect(isWorthRetrying(answer(status))).toBe(false)
  })

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'Retry-After': '3', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '60' }, 60_000],
    [{ 'retry-after-ms': '60001' }, 2000],
    [{ 'retry-after': 'soon' }, 2000],
    [{}, 2000],
  ])('with %o comes after %d ms', (headers, expected) => {
    expect(waitBefore(2, answer(503, headers))).toBe(expected)
  })

  it('waits at most eight seconds by default', () => {
    expect(waitBefore(10, { kind: 'lost' })).toBe(8000)
  })
})

describe('a response', () => {
  it.each<[string, unknown]>([
    ['{"a": NaN, "b": "NaN, \\"Infinity"}', { a: Number.NaN, b: 'NaN, "Infinity' }],
    ['[Infinity, -Infinity, 1]', [Infinity, -Infinity, 1]],
  ])('%s is parsed as Python writes it', (text, expected) => {
    expect(readJson(text)).toEqual({ value: expected })
  })

  it('is read, or is not JSON, however long or odd it is', () => {
    const long = 'x'.repeat(9_000_000)
    expect(readJson(`{"a":NaN,"s":"${long}"}`)).toEqual({ value: { a: Number.NaN, s: long } })
    expect(readJson(`{"a":,"s":"${long}"}`)).toBeUndefined()
    expect(readJson('[NaN,"svtrain:Infinity"]')).toEqual({
      value: [Number.NaN, 'svtrain:Infinity'],
    })
    expect(messageOf('['.repeat(1e4) + ']'.repeat(1e4))).toBeUndefined()
  })

  it.each(['', '<html>', '{"a":', 'NaNa'])('%s is not JSON', (text) => {
    expect(readJson(text)).toBeUndefined()
  })

  it.each([
    ['{"detail": "Model not found"}', 'Model not found'],
    ['{"detail": [{"loc": [], "msg": "Field required"}]}', 'Field required'],
    ['{"error": {"message": "No such model"}}', 'No such model'],
    ['{"errors": [{"message": "No such run"}]}', 'No such run'],
    ['upstream gone', 'upstream gone'],
    ['{}', undefined],
    ['', undefined],
    [`  ${'x'.repeat(200)}\n`, 'x'.repeat(200)],
    ['x'.repeat(201), `${'x'.repeat(200)}…`],
  ])('%s is described as %s', (body, expected) => {
    expect(messageOf(body)).toBe(expected)
  })
})

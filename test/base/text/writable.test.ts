import { describe, expect, it } from 'vitest'
import { findUnwritable, MOST_NESTED } from '../../../src/base/text/writable.js'

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe('a value that cannot be saved', () => {
  it('has a bigint or a symbol, with its place', () => {
    expect(findUnwritable({ a: [{ b: 1n }] })).toEqual({
      path: ['a', 0, 'b'],
      message: 'expected a value that JSON can write, got a bigint',
    })
    expect(findUnwritable(Symbol('a'))?.message).toMatch('a symbol')
  })

  it('is nested too deeply, or contains itself', () => {
    expect(findUnwritable(nested(MOST_NESTED))).toBeUndefined()
    expect(findUnwritable(nested(MOST_NESTED + 1))?.message).toMatch('at most 200 lists and maps')
    expect(findUnwritable(nested(100_000))?.path).toHaveLength(10)
    const circle: unknown[] = []
    circle.push(circle)
    expect(findUnwritable(circle)?.message).toMatch('or contains itself')
  })

  it('is nothing else', () => {
    const values = [undefined, null, Number.NaN, 'a', () => 1n, new Date(), { a: undefined }]
    expect(values.map(findUnwritable)).toEqual(values.map(() => undefined))
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textFor, valueIn, type PlainKind } from '../../src/dashboard/kit/schema-text.js'

const texts = { kind: 'list', of: 'text', values: [] } as const
const text = fc.oneof(
  fc.constantFrom('5', '"x"', 'null', ' a ', 'a,b', 'a: b', 'x\ny', '[1]', '{"a": 1}', ''),
  fc.string(),
)
const word = fc.oneof(text, fc.integer(), fc.boolean())

/** The values of each kind of field. */
const kinds: readonly [kind: PlainKind, values: fc.Arbitrary<unknown>][] = [
  [{ kind: 'text' }, text.filter((each) => each !== '')],
  [{ kind: 'number' }, fc.integer()],
  [{ ...texts, single: false }, fc.array(text)],
  [{ ...texts, single: true }, fc.oneof(fc.array(text), text)],
  [{ ...texts, of: 'number', single: true }, fc.oneof(fc.array(fc.integer()), fc.integer())],
  [{ kind: 'map' }, fc.dictionary(text, word)],
  [{ kind: 'json' }, fc.oneof(fc.jsonValue(), word)],
]

describe('the text of a field', () => {
  it.each(kinds)('means the value that it was written for: %o', (kind, values) => {
    fc.assert(
      fc.property(values, (value) => {
        const read = valueIn(textFor(value, kind), kind)
        expect(JSON.stringify(read)).toBe(JSON.stringify(value))
      }),
    )
  })

  it.each<[PlainKind, unknown, string]>([
    [{ kind: 'text' }, '123', '123'],
    [{ kind: 'text' }, '', ''],
    [{ kind: 'text' }, '"', '"'],
    [{ ...texts, single: true }, ['a', 'b'], 'a, b'],
    [{ kind: 'map' }, { name: 'poet', run: '5', none: '' }, 'name: poet\nrun: "5"\nnone: '],
    [{ kind: 'json' }, [1, 'x'], '[\n  1,\n  "x"\n]'],
  ])('is as a person writes it: %o', (kind, value, shown) => {
    expect(textFor(value, kind)).toBe(shown)
  })
})

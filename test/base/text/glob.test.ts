import * as fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, it } from 'vitest'
import { matchesGlob } from '../../../src/base/text/glob.js'

it.each([
  ['poet', 'poet*', true],
  ['team/poet-7', 'team/*', true],
  ['/v1/a/b/jobs', '/v1/*/jobs', true],
  ['po?t', 'po?t', true],
  ['po/t', 'po?t', false],
  ['pair', 'p{oet,ai}r', true],
  ['poetr', 'p{oet,ai}r', true],
  ['per', 'p{oet,ai}r', false],
  ['a1', 'a[0-9]', true],
  ['ab', 'a[!0-9]', true],
  ['a]', 'a[]]', true],
  ['a*', 'a\\*', true],
  ['ab', 'a\\*', false],
  ['poet', '!poet*', false],
  ['painter', '!poet*', true],
  ['[x', '[x', true],
  ['{x}', '{x}', true],
])('%s under %s: %s', (text, glob, fits) => {
  expect(matchesGlob(text, glob)).toBe(fits)
})

it('a glob with too many forms matches only its own text, wherever its braces are', () => {
  const many = '{a,b}'.repeat(10)
  for (const glob of [many, `{x,${many}}`, `!{x,${many}}`]) {
    expect(matchesGlob(glob, glob)).toBe(true)
    for (const text of ['x', 'a'.repeat(10), 'other']) expect(matchesGlob(text, glob)).toBe(false)
  }
})

it('a glob matches what another library matches', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '{a,bb}', '-')
  // That library has a shorter way for a glob such as `a*`, on which `.` and `..` differ.
  const globs = fc
    .array(piece, { minLength: 1, maxLength: 6 })
    .map((pieces) => `a${pieces.join('')}b`)
  const texts = fc
    .array(fc.constantFrom('a', 'b', '-'), { maxLength: 8 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(globs, texts, (glob, text) => {
      expect(matchesGlob(text, glob)).toBe(picomatch(glob, { bash: true, dot: true })(text))
    }),
    { numRuns: 2000, seed: 1 },
  )
})

it.each([
  ['stars', `${'*a'.repeat(300)}b`],
  ['choices', '{a,b}'.repeat(150)],
  ['sets', '['.repeat(900)],
  ['choices among choices', '{a,'.repeat(300)],
  ['a text that is too long for it', '{'.repeat(1_000_000)],
])('a glob matches quickly: %s', (_name, glob) => {
  expect(matchesGlob('a'.repeat(20_000), glob)).toBe(false)
  expect(matchesGlob(glob, glob)).toBe(true)
})

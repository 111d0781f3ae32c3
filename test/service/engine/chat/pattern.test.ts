import * as fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, it } from 'vitest'
import { Pattern } from '../../../../src/service/engine/chat/schema/pattern.js'
import { mostInstructions } from '../../../../src/service/engine/chat/schema/pattern-size.js'
import { Work } from '../../../../src/service/engine/chat/schema/work.js'
import { runs } from '../../../support/runs.js'

const part = fc.constantFrom(
  '',
  'a',
  'é',
  '.',
  '\\d',
  '\\pL',
  '\\p{Greek}',
  '\\u{41}',
  '\\x{41}',
  '\\(',
  '[a)(|{9}]',
  '[^\\]]',
  '[]a]',
  '[[:alpha:]-]',
  '^',
  '$',
  '\\b',
  '(?i)',
  'a|',
  '|b',
  '\\Q({9}\\E',
  '\\Q\\E',
  'x{',
)
const repetition = fc.constantFrom('', '*', '+?', '??', '{0}', '{3}', '{2,}', '{0,5}', '{4,4}?')
const opening = fc.constantFrom('(', '(?:', '(?i:', '(?<name>', '(?s-i:')

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        fc.tuple(part, repetition).map((parts) => parts.join('')),
        fc
          .tuple(opening, tie('expression'), repetition)
          .map(([open, inside, repeat]) => `${open}${inside})${repeat}`),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join('')),
}))

it('the size of an expression is known before it is compiled', () => {
  let compiled = 0
  fc.assert(
    fc.property(expression, (source) => {
      let size: number
      try {
        size = RE2JS.compile(RE2JS.translateRegExp(source)).programSize()
      } catch {
        return
      }
      compiled++
      expect(mostInstructions(source)).toBeGreaterThanOrEqual(size)
    }),
    runs(3000),
  )
  expect(compiled).toBeGreaterThan(1000)
})

it('what looks small and is large is not read', () => {
  for (const nothing of ['\\Q\\E', '(?i)']) {
    expect(Pattern.read(`(${'ab'.repeat(490)})${nothing}{1000}`)).toBeUndefined()
  }
})

it.each([
  ['^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 100],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 50],
  ['^\\+?\\d{1,15}$', 60],
  ['a{1000}', 1100],
])('%s counts as no more than %i instructions', (source, most) => {
  expect(mostInstructions(source)).toBeLessThan(most)
})

it('a long text counts as many steps, because each character may be compared with all instructions', () => {
  const work = new Work()
  const pattern = Pattern.read('^(a+)+$')!
  expect(pattern.fits(`${'a'.repeat(1000)}!`, work)).toBe(false)
  expect(work.spent).toBeGreaterThan(40)
})

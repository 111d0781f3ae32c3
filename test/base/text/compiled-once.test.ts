import { expect, it } from 'vitest'
import { compiledOnce } from '../../../src/base/text/compiled-once.js'

it('compiles a text once, and again after 1,000 others', () => {
  const compiled: string[] = []
  const compile = compiledOnce((text) => compiled.push(text))
  for (let call = 0; call < 3; call++) expect(compile('a')).toBe(1)
  for (let other = 0; other < 1000; other++) compile(`other ${other}`)
  expect(compiled).toHaveLength(1001)
  compile('other 999')
  expect(compiled).toHaveLength(1001)
  compile('a')
  expect(compiled.at(-1)).toBe('a')
  expect(compiled).toHaveLength(1002)
})

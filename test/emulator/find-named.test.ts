import { expect, it } from 'vitest'
import { findNamed } from '../../src/emulator/find-named.js'

it('the error for a name that nothing has counts all names', () => {
  const runs = Array.from({ length: 5000 }, (_, index) => ({
    path: `e/p/${index}`,
    name: `${index}`,
  }))
  expect(() => findNamed(runs, 'none', 'run')).toThrow(/4998, 4999, and 4990 more\.$/)
})

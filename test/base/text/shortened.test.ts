import { expect, it } from 'vitest'
import { shortenedAtSpace } from '../../../src/base/text/shortened.js'

it.each([
  ['one two', 7, 'one two'],
  ['one two three', 9, 'one two …'],
  ['one two three', 8, 'one …'],
  ['one-two-three', 8, 'one-two…'],
  ['one-🙂-three', 6, 'one-…'],
])('cuts %j to %i characters at most: %j', (text, most, cut) => {
  expect(shortenedAtSpace(text, most)).toBe(cut)
  expect(cut.length).toBeLessThanOrEqual(most)
})

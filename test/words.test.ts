import { expect, it } from 'vitest'
import {
  bannedWords,
  bannedWordsIn,
  bannedWordsInProject,
  testNamesIn,
} from './support/word-list.js'

it('the project has no banned words', () => {
  const found = Array.from(bannedWordsInProject().values()).flat()
  expect(found.map((each) => `${each.place} "${each.words}": write ${each.instead}`)).toEqual([])
})

it.each(bannedWords.flatMap(({ pattern, examples }) => examples.map((text) => [pattern, text])))(
  'finds %s in "%s"',
  (pattern, text) => {
    const instead = bannedWords.find((banned) => banned.pattern === pattern)!.instead
    expect(bannedWordsIn(text)).toContainEqual(expect.objectContaining({ instead }))
  },
)

it('finds a phrase across the lines of a comment', () => {
  expect(bannedWordsIn('/**\n * Waits for so\n * many.\n */')).toHaveLength(1)
  expect(bannedWordsIn('// It goes on\n// with the next.')).toHaveLength(1)
  expect(bannedWordsIn('# Nobody\n# is told.')).toHaveLength(1)
})

it('accepts the same letters inside other words', () => {
  const text = 'manually, brought, thence, there is no job, is no longer there, planned, `raises`'
  expect(bannedWordsIn(text)).toEqual([])
})

it('reads only the names in the code of tests', () => {
  // In pieces, so that this file has no such names itself.
  const text = [
    ['it', "('is told why', async () => { tell('anew') })"],
    ["describe.each(['anew'])", "('of which %s', (one) => {"],
    ['])', "('whoever', () => {"],
  ]
    .map((pieces) => pieces.join(''))
    .join('\n')
  expect(bannedWordsIn(testNamesIn(text)).map(({ words }) => words)).toEqual([
    'is told',
    'of which',
    'whoever',
  ])
})

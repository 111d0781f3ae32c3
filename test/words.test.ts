import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  bannedWords,
  bannedWordsIn,
  bannedWordsInProject,
  testNamesIn,
} from './support/word-list.js'

/**
 * How many banned words each file still has. It only ever shrinks: `APPROVE_WORDS=1 npx vitest run
 * test/words.test.ts` writes the counts of today, unless there are more words than before. At the end
 * it is empty, and goes away together with this constant.
 */
const frozenFile = join(import.meta.dirname, 'golden', 'words.json')
const frozen = JSON.parse(readFileSync(frozenFile, 'utf8')) as Record<string, number>

it('the project has no banned words beyond the frozen counts', () => {
  const found = bannedWordsInProject()
  if (process.env['APPROVE_WORDS'] === '1') approve(found)
  const problems: string[] = []
  for (const [file, words] of found) {
    if (words.length <= (frozen[file] ?? 0)) continue
    problems.push(...words.map((each) => `${each.place} "${each.words}": write ${each.instead}`))
  }
  for (const [file, count] of Object.entries(frozen)) {
    const left = found.get(file)?.length ?? 0
    if (left < count) {
      problems.push(`${file}: only ${left} of ${count} words are left. Run with APPROVE_WORDS=1.`)
    }
  }
  expect(problems).toEqual([])
})

function approve(found: ReadonlyMap<string, readonly unknown[]>): void {
  const counts = Object.fromEntries(Array.from(found, ([file, { length }]) => [file, length]))
  const total = (of: Record<string, number>): number => {
    return Object.values(of).reduce((sum, count) => sum + count, 0)
  }
  expect(total(counts)).toBeLessThanOrEqual(total(frozen))
  writeFileSync(frozenFile, `${JSON.stringify(counts, null, 2)}\n`)
  for (const file of Object.keys(frozen)) delete frozen[file]
  Object.assign(frozen, counts)
}

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

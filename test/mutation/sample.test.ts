import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf, find, placedIn, readText, SIZE } from './sample.js'

const root = join(import.meta.dirname, '..', '..')

it('has a list of 300 mutants, and finds each of them in the sources', { timeout: 30_000 }, () => {
  const entries = entriesOf(import.meta.dirname)
  expect(entries.map(({ id }) => id)).toEqual(Array.from({ length: SIZE }, (_, at) => at + 1))
  const placed = new Map(
    [...new Set(entries.map(({ file }) => file))].map((file) => [
      file,
      placedIn(file, readText(root, file)),
    ]),
  )
  const gone = entries.filter((entry) => find(entry, placed.get(entry.file)!) === undefined)
  expect(gone, 'Draw others: npm run mutation -- --redraw').toEqual([])
})

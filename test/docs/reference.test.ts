import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { withContractChanges } from '../../.build/reference/contract-changes.js'
import { referencePages } from '../../.build/reference/pages.js'
import { filesIn } from '../../.build/stamp.js'
import { root } from '../support/pages.js'

const folder = join(root, 'docs', 'reference')

it('the reference pages are current (npm run generate writes them)', async () => {
  const pages = await referencePages()
  const written = filesIn(folder).map((file) => relative(folder, file).replaceAll('\\', '/'))
  expect(written.sort()).toEqual(Object.keys(pages).sort())
  for (const [file, text] of Object.entries(pages)) {
    expect([file, readFileSync(join(folder, file), 'utf8')]).toEqual([file, text])
  }
})

it('the table of what contracts changed is current (npm run generate writes it)', () => {
  const page = readFileSync(join(root, 'docs', 'explain', 'contract.md'), 'utf8')
  // The page is formatted: its columns have the same width in each row.
  const cells = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
  expect(cells(page)).toBe(cells(withContractChanges(page)))
})

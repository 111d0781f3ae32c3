import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeBelow } from '../../src/cli/mcp/file-below.js'
import { temporaryFolder } from '../support/temporary-folder.js'

it('replaces one file several times at once', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'mine.yaml'), 'old')
  const texts = Array.from({ length: 20 }, (_, index) => `name: number ${index}\n`.repeat(1000))
  await Promise.all(
    texts.map((text) => writeBelow({ folder, file: 'mine.yaml', text, overwrite: true })),
  )
  expect(texts).toContain(readFileSync(join(folder, 'mine.yaml'), 'utf8'))
  expect(readdirSync(folder)).toEqual(['mine.yaml'])
})

import { open, readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { buildDashboard } from '../../.build/dashboard.js'
import { filesIn } from '../../.build/stamp.js'
import { temporaryFolder } from '../support/temporary-folder.js'

it('a build of the dashboard leaves a file whole for an emulator that reads it', async () => {
  const folder = temporaryFolder()
  await buildDashboard(folder)
  const files = filesIn(folder).sort()
  for (const file of files) await writeFile(file, 'the old file')
  const readers = await Promise.all(files.map((file) => open(file)))
  await buildDashboard(folder)
  const overwritten: string[] = []
  for (const [index, reader] of readers.entries()) {
    if ((await reader.readFile('utf8')) !== 'the old file') overwritten.push(files[index]!)
    await reader.close()
  }
  expect(overwritten).toEqual([])
  for (const file of files) expect(await readFile(file, 'utf8')).not.toBe('the old file')
  // Nothing else is left.
  expect(filesIn(folder).sort()).toEqual(files)
})

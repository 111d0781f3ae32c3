import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeSnapshotFile } from '../../../src/emulator/adapters/snapshot-file.js'
import { createEmulator } from '../../../src/index.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

it('a snapshot is written to the file that a link leads to, and the link stays', async () => {
  const folder = temporaryFolder()
  const [file, link] = [join(folder, 'world.json'), join(folder, 'link.json')]
  writeFileSync(file, '{}')
  symlinkSync(file, link)
  await using emulator = createEmulator()
  writeSnapshotFile(link, await emulator.snapshot())
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(file, 'utf8')).not.toBe('{}')
})

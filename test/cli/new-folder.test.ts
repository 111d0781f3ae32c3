import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { endedInProcess } from './in-process.js'
import { listening } from './listening.js'

/** Each command that writes a file once, and its file. URL stands for a running emulator. */
it.each([
  ['report --url URL --to new/folder/x.html', 'x.html'],
  ['report --url URL --har new/folder/x.har', 'x.har'],
  ['scenarios from state.json --to new/folder/x.yaml', 'x.yaml'],
  ['scenarios check mine.yaml --junit new/folder/x.xml', 'x.xml'],
  ['exec --trace new/folder/x.txt -- false', 'x.txt'],
])('%s creates the folder, and says so', async (line, file) => {
  const emulator = await listening({ clock: 'manual' })
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'state.json'), JSON.stringify(await emulator.snapshot()))
  writeFileSync(join(folder, 'mine.yaml'), 'name: mine')
  const args = line.replace('URL', emulator.trainingUrl).split(' ')
  const env = { PATH: process.env['PATH'] ?? '' }
  const first = await endedInProcess(args, { cwd: folder, env })
  expect(first.stdout + first.stderr).toContain(`${file}. The folder new/folder is new.`)
  expect(readFileSync(join(folder, 'new', 'folder', file), 'utf8')).not.toBe('')
  const again = await endedInProcess(args, { cwd: folder, env })
  expect(again.stdout + again.stderr).not.toContain('is new')
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { openEmulator } from '../../open-emulator.js'

it('the lock of a folder keeps a second emulator out until the first one closes', async () => {
  const data = temporaryFolder()
  const first = openEmulator({ data })
  expect(() => openEmulator({ data })).toThrow(`process ${process.pid} is using it`)
  await first.close()
  expect(() => openEmulator({ data })).not.toThrow()
})

it.each([
  ['one that is gone', '4194305 123'],
  ['one of the same number that began at another time', `${process.pid} 1`],
  ['nobody, torn as it was written', ''],
])('the lock of a folder is taken over from %s', (_who, lock) => {
  const data = temporaryFolder()
  writeFileSync(join(data, 'lock'), lock)
  openEmulator({ data })
  expect(readFileSync(join(data, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
})

it('the lock of a folder is released if the folder cannot be read', () => {
  const data = temporaryFolder()
  writeFileSync(join(data, 'world.ndjson'), 'damaged\n')
  expect(() => openEmulator({ data })).toThrow(
    expect.objectContaining({ code: 'SVTRAIN_DATA_DAMAGED' }),
  )
  expect(existsSync(join(data, 'lock'))).toBe(false)
})

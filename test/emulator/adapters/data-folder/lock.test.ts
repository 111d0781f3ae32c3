import { existsSync, writeFileSync } from 'node:fs'
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

it('the lock of a folder is released if the folder cannot be read', () => {
  const data = temporaryFolder()
  writeFileSync(join(data, 'world.ndjson'), 'damaged\n')
  expect(() => openEmulator({ data })).toThrow(
    expect.objectContaining({ code: 'SVTRAIN_DATA_DAMAGED' }),
  )
  expect(existsSync(join(data, 'lock'))).toBe(false)
})

import { readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openContentFolder } from '../../../src/emulator/adapters/content-folder.js'
import { md5Of } from '../../../src/service/platform/digest.js'
import { toBase64 } from '../../../src/base/text/bytes.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

it('leaves no part of twelve contents if one of them cannot be prepared', async () => {
  const path = temporaryFolder()
  const contents = new Map(
    Array.from({ length: 12 }, (_, index) => {
      const bytes = new TextEncoder().encode(`content ${index}`)
      return [toBase64(md5Of(bytes)), bytes] as const
    }),
  )
  let turns = 0
  const prepared = openContentFolder(path).prepare(contents, async () => {
    await setImmediate()
    if (++turns === 2) throw new Error('The emulator closes.')
  })
  await expect(prepared).rejects.toThrow('The emulator closes.')
  // No other writer goes on.
  for (let round = 0; round < 1000; round++) await setImmediate()
  expect(turns).toBeLessThan(contents.size)
  expect(readdirSync(path)).toEqual([])
})

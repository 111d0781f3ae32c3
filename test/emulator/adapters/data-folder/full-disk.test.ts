import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskError, stubDisk } from '../../../support/failing-disk.js'
import { folderInMemory } from '../../../support/temporary-folder.js'
import { createModel, foundAfterKill, openWorld, recordsOf } from './world-on-disk.js'

const full = (): never => {
  throw diskError('ENOSPC', 'no space left on device, write')
}

/** Writes the first part of what is written to an open file. */
const fullAfter = (share: number) => {
  return (real: (...args: unknown[]) => unknown, file: unknown, text: unknown): unknown => {
    if (typeof file !== 'number') return real(file, text)
    const bytes = Buffer.from(text as Uint8Array)
    real(file, bytes.subarray(0, Math.floor(bytes.length * share)))
    return full()
  }
}

describe('on a full disk', () => {
  it.each([0, 0.3, 0.5, 0.99])(
    'a change is refused if only %f of it is written, and the next one saves both',
    async (share) => {
      const data = folderInMemory()
      const emulator = openWorld(data)
      expect((await createModel(emulator, 'one')).status).toBe(200)
      const saved = await recordsOf(emulator)
      const log = readFileSync(join(data, 'world.ndjson'))

      const free = stubDisk('writeFileSync', fullAfter(share))
      expect((await createModel(emulator, 'two')).status).toBe(500)
      expect((await createModel(emulator, 'three')).status).toBe(500)
      const text = emulator.trace()
      expect(text).toContain('Failed to save the world: Failed to use')
      expect(text).toContain('ENOSPC: no space left on device, write.')
      expect(text).toContain('Free some space. The next change then saves everything.')
      expect(text.match(/Failed to save the world/g)).toHaveLength(1)
      // Nothing of it is left, and nothing takes up space.
      expect(readFileSync(join(data, 'world.ndjson'))).toEqual(log)
      expect(existsSync(join(data, 'world.ndjson.new'))).toBe(false)
      expect(await foundAfterKill(data)).toEqual(saved)

      free()
      expect((await createModel(emulator, 'four')).status).toBe(200)
      expect(
        emulator.db.models
          .all()
          .map(({ name }) => name)
          .join(' '),
      ).toBe('one two three four')
      expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
      expect((await createModel(emulator, 'five')).status).toBe(200)
      expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
    },
  )

  it.each(['writeFileSync', 'fsyncSync', 'renameSync'] as const)(
    'a whole world that cannot be written (%s) leaves the old one as it is',
    async (call) => {
      const data = folderInMemory()
      const emulator = openWorld(data)
      await createModel(emulator, 'one')
      const saved = await recordsOf(emulator)
      const free = stubDisk(call, call === 'writeFileSync' ? fullAfter(0.5) : full)
      emulator.reset()
      expect((await createModel(emulator, 'two')).status).toBe(500)
      expect(emulator.trace()).toContain('ENOSPC')
      expect(existsSync(join(data, 'world.ndjson.new'))).toBe(false)
      expect(await foundAfterKill(data)).toEqual(saved)
      free()
      expect((await createModel(emulator, 'three')).status).toBe(200)
      expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
    },
  )

  it('a change that is refused first after a restart leaves what was saved before', async () => {
    const data = folderInMemory()
    const before = openWorld(data)
    await createModel(before, 'one')
    await before.close()
    const emulator = openWorld(data)
    const saved = await recordsOf(emulator)
    stubDisk('writeFileSync', fullAfter(0.5))
    expect((await createModel(emulator, 'two')).status).toBe(500)
    expect(await foundAfterKill(data)).toEqual(saved)
  })
})

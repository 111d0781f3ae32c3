import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openDataFolder } from '../../../../src/emulator/adapters/data-folder.js'
import { loadedChecks } from '../../../../src/emulator/checks.js'
import type { Emulator } from '../../../../src/emulator/emulator.js'
import { diskError, stubDisk } from '../../../support/failing-disk.js'
import { folderInMemory } from '../../../support/temporary-folder.js'
import { clientOf } from '../../../support/api-client.js'
import { createModel, foundAfterKill, openWorld, recordsOf } from './world-on-disk.js'

const ROOM = 20_000

/** Changes a metric of a model. */
async function log(emulator: Emulator, model: string, reward: number): Promise<void> {
  const body = { split: 'val', trajectory_groups: [{ trajectories: [{ reward }] }] }
  expect((await clientOf(emulator).post(`/preview/models/${model}/log`, body)).status).toBe(200)
  // As between two calls over a port.
  await setImmediate()
}

function notesOf({ journal }: Emulator): string {
  return journal.entries.map((entry) => (entry.kind === 'note' ? entry.text : '')).join('\n')
}

function sizeOf(data: string): number {
  return statSync(join(data, 'world.ndjson')).size
}

describe('the log of a world', () => {
  it('is compacted as it grows, and holds every change at each moment', async () => {
    const data = folderInMemory()
    const emulator = openWorld(data, { room: ROOM })
    const { id } = (await createModel(emulator, 'poet')).body
    const whole = sizeOf(data)
    const sizes: number[] = []
    for (let change = 0; change < 300; change++) {
      await log(emulator, id, change)
      sizes.push(sizeOf(data))
      if (change % 20 === 0) expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
    }
    // It became smaller several times.
    const compacted = sizes.filter((size, index) => size < (sizes[index - 1] ?? 0))
    expect(compacted.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(3 * whole + 2 * ROOM)
    expect(existsSync(join(data, 'world.ndjson.new'))).toBe(false)
    expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
  })

  it('keeps what changes while it is compacted, and is complete if the process is killed then', async () => {
    const data = folderInMemory()
    const emulator = openWorld(data, { room: ROOM })
    for (let model = 0; model < 1200; model++) await emulator.models.create({ name: `m-${model}` })
    const ids = emulator.db.models.all().map((model) => model.id)
    await createModel(emulator, 'last')
    let met = 0
    for (let change = 0; change < 1200; change++) {
      await clientOf(emulator).delete(`/preview/models/${ids[change]}`)
      if (!existsSync(join(data, 'world.ndjson.new'))) continue
      // Compacting: the old log is still complete, and so is a folder with a part of the new one.
      met++
      const left = folderInMemory()
      for (const name of ['world.ndjson', 'world.ndjson.new']) {
        copyFileSync(join(data, name), join(left, name))
      }
      const next = openWorld(left)
      expect(await recordsOf(next)).toEqual(await recordsOf(emulator))
      expect(existsSync(join(left, 'world.ndjson.new'))).toBe(false)
      await next.close()
      if (met > 5) break
    }
    expect(met).toBeGreaterThan(0)
    for (let turn = 0; turn < 1000 && existsSync(join(data, 'world.ndjson.new')); turn++) {
      await setImmediate()
    }
    await createModel(emulator, 'newest')
    expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
  })

  it('stays as it is if it cannot be compacted', async () => {
    const data = folderInMemory()
    const emulator = openWorld(data, { room: ROOM })
    const { id } = (await createModel(emulator, 'poet')).body
    const free = stubDisk('renameSync', () => {
      throw diskError('ENOSPC', 'no space left on device, rename')
    })
    for (let change = 0; change < 200; change++) await log(emulator, id, change)
    expect(notesOf(emulator)).toContain('Failed to compact the world')
    expect(existsSync(join(data, 'world.ndjson.new'))).toBe(false)
    expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
    free()
    const before = sizeOf(data)
    for (let change = 0; change < 400; change++) await log(emulator, id, change)
    expect(sizeOf(data)).toBeLessThan(before)
    expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
  })

  it('is continued at the next start, without what a killed process left', async () => {
    const data = folderInMemory()
    const first = openWorld(data)
    await createModel(first, 'poet')
    const saved = await recordsOf(first)
    await first.close()
    const size = sizeOf(data)
    writeFileSync(join(data, 'world.ndjson'), '00000000+{"kind":"cl', { flag: 'a' })
    writeFileSync(join(data, 'world.ndjson.new'), 'half of a wor')
    const next = openWorld(data)
    expect(await recordsOf(next)).toEqual(saved)
    expect(existsSync(join(data, 'world.ndjson.new'))).toBe(false)
    await createModel(next, 'painter')
    expect(sizeOf(data)).toBeGreaterThan(size)
    expect(await foundAfterKill(data)).toEqual(await recordsOf(next))
  })
})

describe('a world that is too large for its folder', () => {
  const most = 60_000

  it('is refused in words, keeps what it has, and can be reset', async () => {
    const data = folderInMemory()
    const emulator = openWorld(data, { most, room: ROOM })
    let status = 200
    let saved: unknown
    for (let model = 0; status === 200; model++) {
      saved = await recordsOf(emulator)
      status = (await createModel(emulator, `model-${model}`)).status
    }
    expect(status).toBe(500)
    expect(notesOf(emulator)).toMatch(
      /Failed to save the world: The world is too large to save in \S+: more than [\d,]+ bytes, at most 60,000\. Reset it, or start in another folder\./,
    )
    expect(await foundAfterKill(data)).toEqual(saved)
    emulator.reset()
    expect((await createModel(emulator, 'poet')).status).toBe(200)
    expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
  })

  it('is not opened, and stays as it is', async () => {
    const data = folderInMemory()
    const emulator = openWorld(data)
    for (let model = 0; model < 200; model++) await emulator.models.create({ name: `m-${model}` })
    await emulator.close()
    const size = sizeOf(data)
    expect(() => openDataFolder(data, loadedChecks.loaded, { most })).toThrow(
      expect.objectContaining({
        code: 'SVTRAIN_DATA_TOO_LARGE',
        message: `The world is too large to open in ${data}: ${size.toLocaleString('en-US')} bytes, at most 60,000. Reset it, or start in another folder.`,
      }),
    )
    expect(sizeOf(data)).toBe(size)
    expect(existsSync(join(data, 'lock'))).toBe(false)
  })
})

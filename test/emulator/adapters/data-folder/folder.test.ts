import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { BASE_MODEL, clientOf } from '../../../support/api-client.js'
import { diskError, stubDisk } from '../../../support/failing-disk.js'
import { folderInMemory, temporaryFolder } from '../../../support/temporary-folder.js'
import { createModel, foundAfterKill, openWorld, recordsOf } from './world-on-disk.js'
import { openEmulator } from '../../open-emulator.js'

describe('a data folder', () => {
  it('may be a link, and may have any name', async () => {
    const folder = join(temporaryFolder(), 'Wörld 🌍 世界')
    const link = `${folder} link`
    mkdirSync(folder)
    symlinkSync(folder, link)
    const emulator = openWorld(link)
    await createModel(emulator, 'poet')
    expect(() => openWorld(folder)).toThrow(`process ${process.pid} is using it`)
    expect(await foundAfterKill(folder)).toEqual(await recordsOf(emulator))
  })

  it('that is a file or a device is refused', () => {
    const file = join(temporaryFolder(), 'world')
    writeFileSync(file, '')
    for (const path of [file, devNull]) {
      expect(() => openWorld(path)).toThrow(
        `Failed to use ${path}: it is not a folder. Choose a folder. It is created if it does not exist.`,
      )
    }
  })

  // Tests run as root, who may write everywhere, so the file system is replaced.
  it.each([
    ['EROFS', 'read-only file system, open', 'writeFileSync'],
    ['EACCES', 'permission denied, open', 'writeFileSync'],
    ['EACCES', 'permission denied, mkdir', 'mkdirSync'],
  ] as const)('that cannot be written (%s: %s) is refused in words', (code, message, call) => {
    const data = folderInMemory()
    stubDisk(call, () => {
      throw diskError(code, message)
    })
    expect(() => openWorld(join(data, 'world'))).toThrow(
      expect.objectContaining({
        code: 'SVTRAIN_DATA_UNUSABLE',
        message: expect.stringMatching(
          `${code}: ${message}. Choose a folder that this user can write to.$`,
        ) as string,
      }),
    )
  })

  it('that is deleted while the emulator runs refuses changes, and says why', async () => {
    const data = join(temporaryFolder(), 'world')
    const emulator = openWorld(data)
    await createModel(emulator, 'poet')
    rmSync(data, { recursive: true })
    expect((await createModel(emulator, 'painter')).status).toBe(500)
    expect(emulator.trace()).toContain('it was deleted or replaced while the emulator runs.')
    // The log has what the client got.
    const [, painter] = emulator.journal.entries.filter(({ kind }) => kind === 'request')
    expect(painter).toMatchObject({
      status: 500,
      detail: expect.stringMatching(/^not saved: Failed to use .*world: it was deleted/),
    })
    await emulator.close()
    expect(existsSync(data)).toBe(false)
  })

  it('that is replaced while the emulator runs stays as it is', async () => {
    const data = join(temporaryFolder(), 'world')
    const emulator = openWorld(data)
    await createModel(emulator, 'poet')
    cpSync(data, `${data} copy`, { recursive: true })
    rmSync(join(`${data} copy`, 'lock'))
    await createModel(emulator, 'painter')
    rmSync(data, { recursive: true })
    renameSync(`${data} copy`, data)
    const copy = readFileSync(join(data, 'world.ndjson'))
    expect((await createModel(emulator, 'sculptor')).status).toBe(500)
    expect((await createModel(emulator, 'writer')).status).toBe(500)
    await emulator.close()
    expect(readFileSync(join(data, 'world.ndjson'))).toEqual(copy)
  })

  it('whose file is deleted while the emulator runs gets the whole world again', async () => {
    const data = temporaryFolder()
    const emulator = openWorld(data)
    await createModel(emulator, 'poet')
    rmSync(join(data, 'world.ndjson'))
    expect((await createModel(emulator, 'painter')).status).toBe(500)
    expect((await createModel(emulator, 'sculptor')).status).toBe(200)
    expect(await foundAfterKill(data)).toEqual(await recordsOf(emulator))
  })

  it('that cannot save a streamed chat does not count it any more', async () => {
    const data = temporaryFolder()
    const scenario = { name: 'limited', chat: { concurrency: 1 } }
    const emulator = openEmulator({ data, scenario })
    const chat = () => {
      const body = { model: BASE_MODEL, messages: [{ role: 'user', content: 'hi' }], stream: true }
      return clientOf(emulator).post('/chat/completions', body)
    }
    expect((await chat()).status).toBe(200)
    rmSync(join(data, 'world.ndjson'))
    expect((await chat()).status).toBe(500)
    expect((await chat()).status).toBe(200)
  })
})

it('of several processes that start in one folder at once, exactly one gets it', async () => {
  const script = join(import.meta.dirname, './take-lock.ts')
  const processes = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ['--import', 'tsx', script])
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async (): Promise<string> => (await lines.next()).value as string
    return { child, next }
  })
  for (const { next } of processes) expect(await next()).toBe('ready')
  const ended = spawn(process.execPath, ['-e', ''])
  await once(ended, 'exit')
  // No lock, and the locks that a killed process, a torn write or another program leaves.
  const stale = [undefined, '', 'garbage', `${ended.pid} 1`, `${process.pid} 1`, '\0\0\0\0']
  for (let round = 0; round < 12; round++) {
    const data = folderInMemory()
    const lock = stale[round % stale.length]
    if (lock !== undefined) writeFileSync(join(data, 'lock'), lock)
    for (const { child } of processes) child.stdin.write(`${data}\n`)
    const results = await Promise.all(processes.map(({ next }) => next()))
    expect(results.sort()).toEqual([...Array(3).fill('SVTRAIN_DATA_IN_USE'), 'has it'])
  }
}, 60_000)

describe('if the clock of the machine is set back', () => {
  it('between two runs, the world continues from its own time, with new ids', async () => {
    const data = temporaryFolder()
    const first = createEmulator({ data, clock: 'manual' })
    first.clock.advanceTo(Date.now() + 24 * 3_600_000)
    const before = await first.jobs.start({ model: 'poet' })
    const then = first.clock.now()
    await first.close()
    const next = openEmulator({ data, clock: 'real', speed: 1000 })
    await next.ready()
    expect(next.clock.now()).toBeGreaterThanOrEqual(then)
    const after = await next.jobs.start({ model: 'poet' })
    expect(after.id).not.toBe(before.id)
    const { jobs } = next.engine.store
    const [one, two] = [...jobs.values()].map(({ createdAt }) => createdAt)
    expect(two).toBeGreaterThanOrEqual(one!)
  })

  it('during a run, time continues, and a retry is sent when it is due', async () => {
    let answers = 0
    const send = (): Promise<{ status: number; body: string }> =>
      Promise.resolve({ status: answers++ === 0 ? 500 : 200, body: '' })
    const emulator = openEmulator({ clock: 'real', speed: 1000, send })
    await emulator.ready()
    const url = 'http://receiver.test/'
    emulator.webhooks.add({ webhooks: [{ name: 'hook', url, retries: ['10s'] }] })
    const before = emulator.clock.now()
    const past = Date.now() - 3_600_000
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => past)
    onTestFinished(() => clock.mockRestore())
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'failed', to: 'hook' })
    await vi.waitFor(() => expect(delivery!.status).toBe('delivered'))
    const times = delivery!.attempts.map(({ at }) => at)
    expect(times[0]).toBeGreaterThanOrEqual(before)
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(10_000)
  })
})

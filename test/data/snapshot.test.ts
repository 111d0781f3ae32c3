import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function open(options: EmulatorOptions = {}): Emulator {
  const emulator = createEmulator({ clock: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** An emulator with a job that is under way. */
async function busy(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = open({ scenario: 'failing-job', seed: 7, apiKeys: ['key-of-mine'], ...options })
  await emulator.models.create({ name: 'poet' })
  await emulator.jobs.start({ model: 'poet' })
  emulator.clock.advance('2s')
  return emulator
}

async function events(emulator: Emulator): Promise<unknown> {
  emulator.clock.advance('1h')
  const path = `/preview/training-jobs/${emulator.job().id}/events?limit=100`
  const headers = { authorization: 'Bearer key-of-mine' }
  const answer = await emulator.fetch(emulator.trainingUrl + path, { headers })
  expect(answer.status).toBe(200)
  return answer.json()
}

describe('a snapshot', () => {
  it('goes on in another emulator as the first one does', async () => {
    const first = await busy()
    const snapshot = JSON.parse(JSON.stringify(await first.snapshot())) as unknown
    const second = open({ snapshot, apiKeys: ['key-of-mine'] })
    expect(second.seed).toBe(7)
    expect(second.scenario.name).toBe('failing-job')
    expect(await events(second)).toEqual(await events(first))
  })

  it('takes the place of what was there', async () => {
    const first = await busy()
    const second = open({ apiKeys: ['key-of-mine'] })
    await second.jobs.start()
    second.restore(await first.snapshot())
    await second.engine.ready
    expect(second.seed).toBe(7)
    expect([...second.engine.store.jobs.keys()]).toEqual([first.job().id])
    expect(await events(second)).toEqual(await events(first))
  })

  it('does not change with its world', async () => {
    const emulator = await busy()
    const snapshot = await emulator.snapshot()
    const before = JSON.stringify(snapshot)
    emulator.clock.advance('1h')
    expect(JSON.stringify(snapshot)).toBe(before)
  })

  it('shows no secret in its readable part, and has none without secrets', async () => {
    const emulator = await busy({
      scenario: {
        name: 'mine',
        auth: { keys: { 'scenario-key': { user: 'one', entity: 'one' } } },
        secrets: { HOOK: 'hook-secret' },
      },
    })
    emulator.faults.add({ fault: 'status', status: 503 })
    const { secrets, ...readable } = await emulator.snapshot()
    const hidden = ['scenario-key', 'hook-secret']
    for (const each of hidden) {
      expect(JSON.stringify(readable)).not.toContain(each)
      expect(atob(secrets!)).toContain(each)
    }
    const snapshot = await emulator.snapshot({ secrets: false })
    expect(snapshot.secrets).toBeUndefined()
    expect(open({ snapshot }).job().id).toBe(emulator.job().id)
  })

  it.each([
    ['of another kind', { hello: 1 }, 'SVTRAIN_SNAPSHOT_DAMAGED'],
    ['null', null, 'SVTRAIN_SNAPSHOT_DAMAGED'],
  ])('%s is refused', (_, snapshot, code) => {
    expect(() => open({ snapshot })).toThrow(expect.objectContaining({ code }))
  })

  it('that is damaged, or of another version, is refused and changes nothing', async () => {
    const snapshot = await (await busy()).snapshot()
    const emulator = await busy()
    const before = emulator.job().id
    const damaged = { ...snapshot, records: snapshot.records.slice(1) }
    const newer = { ...snapshot, version: 99 }
    expect(() => emulator.restore(damaged)).toThrow(/it is damaged, for its digest does not fit/)
    expect(() => emulator.restore(newer)).toThrow(/it has version 99, and this emulator reads/)
    expect(emulator.job().id).toBe(before)
  })

  it('is refused by a folder that has a world', async () => {
    const data = temporaryFolder()
    const first = await busy({ data })
    const snapshot = await first.snapshot()
    await first.close()
    const file = readFileSync(join(data, 'world.ndjson'), 'utf8')
    expect(() => open({ data, snapshot })).toThrow(/its folder has a world already/)
    expect(readFileSync(join(data, 'world.ndjson'), 'utf8')).toBe(file)
  })
})

describe('a folder', () => {
  async function left(): Promise<string> {
    const data = temporaryFolder()
    await (await busy({ data })).close()
    return data
  }

  it('with a last line that was torn goes on without it', async () => {
    const data = await left()
    const file = join(data, 'world.ndjson')
    writeFileSync(file, `${readFileSync(file, 'utf8')}00000000 {"kind":"mod`)
    expect(open({ data }).job().id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('with a damaged line is refused, and left as it is', async () => {
    const data = await left()
    const file = join(data, 'world.ndjson')
    const damaged = readFileSync(file, 'utf8').replace('"kind"', '"kinb"')
    writeFileSync(file, damaged)
    expect(() => open({ data })).toThrow(
      expect.objectContaining({
        code: 'SVTRAIN_DATA_DAMAGED',
        message: expect.stringContaining('line 1 is damaged') as string,
      }),
    )
    expect(readFileSync(file, 'utf8')).toBe(damaged)
  })

  it('in use is refused, and free again once it is closed', async () => {
    const data = temporaryFolder()
    const first = open({ data })
    expect(() => open({ data })).toThrow(expect.objectContaining({ code: 'SVTRAIN_DATA_IN_USE' }))
    await first.close()
    open({ data })
  })

  it('that cannot be made is refused', () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(() => open({ data: join(file, 'below') })).toThrow(
      expect.objectContaining({ code: 'SVTRAIN_DATA_UNUSABLE' }),
    )
  })
})

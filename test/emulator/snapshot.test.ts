import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SLICE } from '../../src/base/clock/slices.js'
import { nextTurn } from '../../src/base/clock/wall.js'
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type ScenarioInput,
  type Snapshot,
} from '../../src/index.js'
import { snapshotOf, type WorldMoment } from '../../src/emulator/snapshot.js'
import { NOTES } from '../../src/service/scenario/notes.js'
import type { AnyRecord } from '../../src/service/engine/saved/saved-part.js'
import { Store } from '../../src/service/engine/store.js'
import { richWorlds } from './rich-worlds.js'
import { opened, sealed } from '../support/snapshots.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { clientOf, withKey } from '../support/api-client.js'
import { openEmulator } from './open-emulator.js'

/** An emulator with a job that is under way. */
async function busy(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = openEmulator({
    scenario: 'failing-job',
    seed: 7,
    apiKeys: ['key-of-mine'],
    ...options,
  })
  await emulator.models.create({ name: 'poet' })
  await emulator.jobs.start({ model: 'poet' })
  emulator.clock.advance('2s')
  return emulator
}

describe('a world that is saved and restored under its own scenario', () => {
  const statusOf = async (emulator: Emulator): Promise<number> => {
    const headers = { authorization: 'Bearer any-key' }
    return (await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`, { headers })).status
  }
  const second = async (before: ScenarioInput, after: ScenarioInput): Promise<number> => {
    const first = openEmulator({ scenario: before })
    expect(await statusOf(first)).toBe(503)
    return statusOf(openEmulator({ scenario: after, snapshot: await first.snapshot() }))
  }
  /** A scenario with notes everywhere. The note at one place is another one. */
  const scenario = (changed?: string): ScenarioInput => {
    const at = (place: string): { description: string } => {
      return { description: place === changed ? 'after' : 'before' }
    }
    return {
      name: 'mine',
      ...at('description'),
      jobs: [{ ...at('jobs.description'), match: { ordinal: 2 }, timeline: [{ event: 'never' }] }],
      chat: {
        rules: [{ ...at('chat.rules.description'), answers: ['yes'] }],
        judge: { rules: [{ ...at('chat.judge.rules.description'), score: 0.5 }] },
      },
      faults: [{ ...at('faults.description'), fault: 'status', status: 503, calls: 1 }],
      webhooks: [{ name: 'deploy', url: 'http://127.0.0.1:9/' }],
      automations: [
        {
          ...at('automations.description'),
          name: 'tell',
          event: 'CREATE_ARTIFACT',
          webhook: 'deploy',
        },
      ],
    }
  }

  it.each(NOTES)('keeps the state of faults if only a note changed: %s', async (place) => {
    expect(scenario(place)).not.toEqual(scenario())
    expect(await second(scenario(), scenario(place))).toBe(200)
  })

  it('starts its faults again if what is no note changed, such as the payload of an automation', async () => {
    const [automation] = scenario().automations!
    const paying = (description: string): ScenarioInput => {
      return { ...scenario(), automations: [{ ...automation!, payload: { description } }] }
    }
    expect(await second(paying('one'), paying('one'))).toBe(200)
    expect(await second(paying('one'), paying('other'))).toBe(503)
  })
})

async function call(emulator: Emulator, key: string, body: object): Promise<void> {
  const path = '/preview/sft-training-jobs'
  expect((await clientOf(emulator).post(path, body, withKey(key))).status).toBe(200)
}

/** A world with these records, which does not change. */
function worldOf(records: AnyRecord[]): () => WorldMoment {
  return () => ({ records, isSame: () => true })
}

it('a world that is too large for one text is refused in words', async () => {
  const emulator = openEmulator()
  const tooLong = { kind: 'usage', toJSON: () => 'x'.repeat(2 ** 29) }
  const refused = snapshotOf(worldOf([tooLong]))
  await expect(refused).rejects.toMatchObject({ code: 'SVTRAIN_SNAPSHOT_TOO_LARGE' })
  emulator.snapshot = () => refused
  const answer = await emulator.fetch(new URL('/_emulator/snapshot', emulator.trainingUrl))
  expect([answer.status, await answer.text()]).toEqual([
    409,
    expect.stringMatching(/Failed to save the world: it is too large\..*about 512 MB.*data folder/),
  ])
})

describe('a snapshot of a world that changes while it is written', () => {
  const many = 1000

  /** Each record says in which version of the world it was made. */
  function changing(times: number): { world: () => WorldMoment; version: () => number } {
    let version = 0
    const world = (): WorldMoment => {
      const begun = version
      function* records(): Iterable<AnyRecord> {
        for (let index = 0; index < many; index++) {
          const record = { kind: 'usage', version }
          yield record
          if (index === many / 2 && version < times) version++
        }
      }
      return { records: records(), isSame: () => version === begun }
    }
    return { world, version: () => version }
  }

  it.each([0, 1, 2])('shows one moment: %i changes', async (times) => {
    const { world, version } = changing(times)
    const { records } = await snapshotOf(world)
    expect(records).toEqual(Array.from({ length: many }, () => ({ kind: 'usage', version: times })))
    expect(version()).toBe(times)
  })

  it('shows one moment of a world that jobs are added to in each pause', async () => {
    await using emulator = createEmulator()
    for (let index = 0; index < 300; index++) await emulator.jobs.start()
    const writing = emulator.snapshot()
    const end = writing.then(() => 'written')
    while (!(await Promise.race([end, nextTurn()]))) await emulator.jobs.start()
    const { records } = await writing
    const count = (kind: string): number => records.filter((each) => each.kind === kind).length
    expect(count('job')).toBeGreaterThanOrEqual(300)
    expect(count('progress')).toBe(count('job'))
  })
})

describe('a snapshot', () => {
  it('replaces the world of a data folder permanently', async () => {
    const data = temporaryFolder()
    const first = await busy({ data, scenario: 'happy-path', seed: 3 })
    const snapshot = await (await busy()).snapshot()
    first.restore(snapshot)
    await first.engine.ready
    await first.close()
    const second = openEmulator({ data })
    expect(second.seed).toBe(7)
    expect(JSON.stringify(await second.snapshot())).toBe(JSON.stringify(snapshot))
  })

  it('does not change with its world', async () => {
    const emulator = await busy()
    const snapshot = await emulator.snapshot()
    const before = JSON.stringify(snapshot)
    emulator.clock.advance('1h')
    expect(JSON.stringify(snapshot)).toBe(before)
  })

  it('has no secret in its readable part, and none at all without secrets', async () => {
    const confidential = {
      scenario: 'key-of-the-scenario',
      ofFault: 'key-of-a-fault',
      inHeader: 'key-in-a-header',
      counted: 'key-that-was-counted',
      signing: 'signing-secret',
      added: 'added-secret',
      password: 'password-of-a-receiver',
      addedPassword: 'password-of-another',
      data: 'password-of-the-data',
    }
    const emulator = await busy({
      send: () => Promise.resolve({ status: 500, body: confidential.signing }),
      scenario: {
        name: 'mine',
        auth: { keys: { [confidential.scenario]: { user: 'one', entity: 'one' } } },
        secrets: { SIGNING: confidential.signing },
        sft: { files: { 'http://u:password-of-the-data@data.test/x': 'package.json' } },
        webhooks: [
          { name: 'hook', url: `http://u:${confidential.password}@a.test/`, secret: 'SIGNING' },
        ],
        automations: [
          { name: 'all', webhook: 'hook', event: 'RUN_STATE', payload: { told: '${SIGNING}' } },
        ],
        faults: [
          { fault: 'status', status: 503, match: { key: confidential.ofFault } },
          {
            fault: 'status',
            status: 503,
            match: { headers: { Authorization: `Bearer ${confidential.inHeader}` } },
          },
        ],
      },
      apiKeys: [confidential.counted],
    })
    emulator.faults.add({ fault: 'rate_limit', requests: 9, within: '1s', per: 'key' })
    emulator.webhooks.add({
      secrets: { ADDED: confidential.added },
      webhooks: [{ name: 'other', url: `http://u:${confidential.addedPassword}@b.test/` }],
    })
    await call(emulator, confidential.counted, {
      model_id: emulator.job().model.id,
      training_data_url: `http://u:${confidential.data}@data.test/x`,
    })
    await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })
    await emulator.webhooks.idle()
    const { secrets, ...readable } = await emulator.snapshot()
    for (const each of Object.values(confidential)) {
      expect(atob(secrets!)).toContain(each)
      expect(JSON.stringify(readable)).not.toContain(each)
    }
    const snapshot = await emulator.snapshot({ secrets: false })
    expect(snapshot.secrets).toBeUndefined()
    expect(snapshot.records).toEqual(readable.records)
    const other = openEmulator({ snapshot })
    await other.engine.ready
    expect(other.job().id).toBe(emulator.job().id)
    expect(other.webhooks.parts.webhooks.map(({ name }) => name)).toEqual(['hook', 'other'])
  })

  it('without secrets continues if the scenario provides them', async () => {
    const webhooks = [{ name: 'hook', url: 'http://a.test/', secret: 'SIGNING' }]
    const scenario = { name: 'mine', secrets: { SIGNING: 'a secret' }, webhooks }
    const first = await busy({ scenario })
    const snapshot = await first.snapshot({ secrets: false })
    const second = openEmulator({ snapshot, scenario })
    await second.engine.ready
    expect(second.engine.resumed).toBe(true)
    expect(second.webhooks.parts.secrets).toEqual({ SIGNING: 'a secret' })
  })

  it('is refused by a data folder that has a world', async () => {
    const data = temporaryFolder()
    const first = await busy({ data })
    const snapshot = await first.snapshot()
    await first.close()
    const file = readFileSync(join(data, 'world.ndjson'), 'utf8')
    expect(() => openEmulator({ data, snapshot })).toThrow(/its folder already contains a world/)
    expect(readFileSync(join(data, 'world.ndjson'), 'utf8')).toBe(file)
  })
})

it('a snapshot whose checkpoint has another step than when it was made gets checkpoints with ids of their own, and is saved with the same content', async () => {
  const emulator = createEmulator({ clock: 'manual' })
  await emulator.models.create({ name: 'poet' })
  const { records, hidden } = opened(await emulator.snapshot())
  records.find(({ kind }) => kind === 'checkpoint').step = 1
  emulator.restore(sealed({ records, hidden }))
  await emulator.jobs.start({ model: 'poet' })
  emulator.clock.advance('1h')
  const saved = await emulator.snapshot()
  const made = opened(saved).records.filter(({ kind }) => kind === 'checkpoint')
  const ids = made.map(({ key }: { key: string }) => key)
  expect(ids.length).toBeGreaterThan(1)
  expect(new Set(ids).size).toBe(ids.length)
  emulator.restore(saved)
  expect((await emulator.snapshot()).digest).toBe(saved.digest)
})

it('a snapshot at a moment that has a fraction of a millisecond is saved with the same content', async () => {
  const emulator = createEmulator({ clock: 'manual' })
  // The real clock has such moments. Twice this one has no exact number.
  emulator.clock.advance(1 / 4096)
  const saved = await emulator.snapshot()
  emulator.restore(saved)
  expect((await emulator.snapshot()).digest).toBe(saved.digest)
})

describe('a data folder', () => {
  async function left(): Promise<string> {
    const data = temporaryFolder()
    await (await busy({ data })).close()
    return data
  }

  /** The folder with its log changed, each line with a checksum that fits. */
  function rewritten(data: string, change: (records: unknown[]) => unknown[], torn = ''): string {
    const file = join(data, 'world.ndjson')
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    const records = change(lines.map((each) => JSON.parse(each.slice(9)) as unknown))
    const text = records
      .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
      .map((each) => `${crc32(each).toString(16).padStart(8, '0')} ${each}\n`)
    writeFileSync(file, text.join('') + torn)
    return file
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  type Change = (records: any[]) => unknown[]

  it.each<[what: string, change: Change, told: RegExp]>([
    [
      'a condition on a header that is a list',
      ([clock, world, ...rest]) => {
        const rule = { match: { headers: { cookie: ['a-secret'] } }, answer: 'Hi' }
        const chat = { ...world.scenario.chat, rules: [rule] }
        return [clock, { ...world, scenario: { ...world.scenario, chat } }, ...rest]
      },
      /world\.ndjson:2 world\.scenario\.chat\.rules\[0\]\.match\.headers\.cookie: expected .*, got a list/,
    ],
    [
      'a line that is not JSON',
      (records) => [...records, 'none'],
      /line \d+ is damaged, it isn.t JSON/,
    ],
  ])('with %s is refused with file and line, and stays unchanged', async (_, change, told) => {
    const data = await left()
    const file = rewritten(data, change)
    const before = readFileSync(file, 'utf8')
    const opening = (): unknown => openEmulator({ data })
    expect(opening).toThrow(expect.objectContaining({ code: 'SVTRAIN_DATA_DAMAGED' }))
    expect(opening).toThrow(told)
    expect(opening).not.toThrow(/a-secret/)
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(data)).toEqual(['world.ndjson'])
  })

  it('with a job whose progress is missing continues without it', async () => {
    const data = await left()
    // Written together, and never acknowledged.
    const half: Change = (records) => {
      const job = records.find(({ kind }) => kind === 'job')
      return [...records, records[0], { ...job, key: 'half', ordinal: 2 }]
    }
    rewritten(data, half)
    expect(() => openEmulator({ data })).toThrow(/job\.key: there is no progress of the job "half"/)
    rewritten(data, (records) => records, '00000000 {"kind":"prog')
    expect(openEmulator({ data }).jobs.all).toHaveLength(1)
  })

  it('with other files is refused, and stays unchanged', () => {
    const data = temporaryFolder()
    const file = join(data, 'world.ndjson')
    writeFileSync(file, 'mine')
    expect(() => openEmulator({ data })).toThrow(/there is no record of the kind "world"/)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })
})

it('a snapshot without the record of the timeline is restored with a timeline at its start, and saved with the same content', async () => {
  const scripted = await richWorlds.scripted!()
  onTestFinished(() => scripted.close())
  const { records, hidden } = opened(await scripted.snapshot())
  const others = records.filter(({ kind }) => kind !== 'timeline')
  scripted.restore(sealed({ records: others, hidden }))
  const saved = opened(await scripted.snapshot())
  const timeline = saved.records.find(({ kind }) => kind === 'timeline')
  expect(timeline).toEqual({ kind: 'timeline', planned: [], seen: [0, 0] })
  scripted.restore(sealed(saved))
  expect(opened(await scripted.snapshot()).records).toEqual(saved.records)
})

it('a snapshot with a sample whose number no other number follows is refused', async () => {
  const scripted = await richWorlds.scripted!()
  onTestFinished(() => scripted.close())
  const { records, hidden } = opened(await scripted.snapshot())
  const numbered = (key: string) => {
    const changed = records.map((each) => (each.kind === 'sample' ? { ...each, key } : each))
    return sealed({ records: changed, hidden })
  }
  expect(() => scripted.restore(numbered('1'.repeat(22)))).toThrow(/\.key: .* must match pattern/)
  scripted.restore(numbered('9'.repeat(15)))
  const saved = opened(await scripted.snapshot()).records
  expect(saved.find(({ kind }) => kind === 'sample')).toMatchObject({ key: '9'.repeat(15) })
})

describe('a snapshot that is restored in slices', () => {
  /** A snapshot with `count` models, and how many records it has. */
  async function large(count: number): Promise<{ snapshot: Snapshot; records: number }> {
    const emulator = openEmulator()
    for (let made = 0; made < count; made++) await emulator.models.create({ name: `poet-${made}` })
    const snapshot = await emulator.snapshot()
    return { snapshot, records: snapshot.records.length }
  }

  it('shows the world before until the new one is whole', async () => {
    const { snapshot, records } = await large(400)
    const emulator = openEmulator()
    await emulator.models.create({ name: 'critic' })
    const restoring = vi.spyOn(Store.prototype, 'restoreModel')
    onTestFinished(() => restoring.mockRestore())
    const restored = emulator.restoreInSlices(snapshot)
    const seen: number[] = []
    do {
      seen.push([...emulator.engine.store.modelStates].length)
      restoring.mockClear()
      await nextTurn()
      expect(restoring.mock.calls.length).toBeLessThanOrEqual(SLICE)
    } while (seen.at(-1) === 1)
    await restored
    expect(new Set(seen)).toEqual(new Set([1, 400]))
    // Each record is checked, looked up and restored, and a slice has at most as many checks.
    expect(seen.length).toBeGreaterThan(records / SLICE)
  })

  it('replaces what changed in the meantime', async () => {
    const { snapshot } = await large(1)
    const emulator = openEmulator()
    const restores = [emulator.restoreInSlices(snapshot), emulator.restoreInSlices(snapshot)]
    await emulator.models.create({ name: 'critic' })
    emulator.reset('happy-path')
    await Promise.all(restores)
    expect(opened(await emulator.snapshot()).records).toEqual(opened(snapshot).records)
  })

  it('is given up if the emulator closes', async () => {
    const data = temporaryFolder()
    const { snapshot } = await large(3)
    const emulator = openEmulator({ data })
    await emulator.models.create({ name: 'critic' })
    const restored = emulator.restoreInSlices(snapshot)
    await emulator.close()
    await expect(restored).rejects.toThrow(
      'Failed to restore the snapshot: the emulator was closed. Nothing was changed.',
    )
    expect(readdirSync(data, { recursive: true })).not.toContainEqual(
      expect.stringMatching(/part$|import$/),
    )
    const again = openEmulator({ data })
    expect([...again.engine.store.modelStates].map(({ record }) => record.name)).toEqual(['critic'])
  })
})

import { expect, it, onTestFinished, vi } from 'vitest'
import { openDataFolder } from '../../../../src/emulator/adapters/data-folder.js'
import { compose } from '../../../../src/compose/compose.js'
import { control } from '../../../../src/compose/control.js'
import { nodeRuntime } from '../../../../src/compose/node-runtime.js'
import { loadedChecks, type Checks } from '../../../../src/emulator/checks.js'
import { LastRecords } from '../../../../src/service/engine/saved/last-records.js'
import { createEmulator, defaultWebhooks } from '../../../../src/index.js'
import { folderInMemory } from '../../../support/temporary-folder.js'

interface Work {
  /** Records that were read from the log. */
  read: number
  /** Records that were looked up or listed while they were compared with each other. */
  compared: number
  /** Fields of records that were read while the world was made of them. */
  restored: number
}

/** Writes a world in which all jobs are over, once and as a whole, so that its log has no other records. */
async function folderWith(jobs: number, models: number): Promise<string> {
  const data = folderInMemory()
  const parts = defaultWebhooks({ url: 'http://receiver.test/hook', secret: 'a secret' })
  const send = (): Promise<{ status: number; body: string }> =>
    Promise.resolve({ status: 200, body: 'ok' })
  const scenario = { name: 'many jobs', ...parts }
  await using emulator = createEmulator({ scenario, clock: 'manual', send })
  const names = Array.from({ length: models }, (_, index) => `model-${index}`)
  for (const name of names) await emulator.models.create({ name })
  for (let made = 0; made < jobs; made++) {
    await emulator.jobs.start({ model: names[made % models]! })
  }
  emulator.clock.advance('24h')
  await emulator.webhooks.idle()
  const snapshot = await emulator.snapshot()
  await using copy = createEmulator({ snapshot, data, clock: 'manual', send })
  await copy.ready()
  return data
}

/** Counts each use of the records while they are compared with each other. */
function countComparisons(work: Work): void {
  // Called with the object that they belong to.
  // oxlint-disable-next-line typescript/unbound-method
  const { get, has, of } = LastRecords.prototype
  const count = (): void => void work.compared++
  vi.spyOn(LastRecords.prototype, 'get').mockImplementation(function (this: LastRecords, ...key) {
    count()
    return get.apply(this, key)
  })
  vi.spyOn(LastRecords.prototype, 'has').mockImplementation(function (this: LastRecords, ...key) {
    count()
    return has.apply(this, key)
  })
  vi.spyOn(LastRecords.prototype, 'of').mockImplementation(function* (this: LastRecords, kind) {
    for (const placed of of.call(this, kind)) {
      count()
      yield placed
    }
  })
  onTestFinished(() => void vi.restoreAllMocks())
}

/** Returns the same value, which calls `read` when one of its fields is read. */
function watched<T>(value: T, read: () => void): T {
  const isPlain =
    Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]'
  if (!isPlain) return value
  return new Proxy(value as object, {
    get(target, key, receiver) {
      read()
      return watched(Reflect.get(target, key, receiver) as unknown, read)
    },
  }) as T
}

async function startOf(data: string, work: Work): Promise<void> {
  const records: Checks['records'] = (written, options) => {
    function* counted(): Generator<unknown, void> {
      for (const record of written) {
        work.read++
        yield record
      }
    }
    const checked = loadedChecks.loaded.records(counted(), options)
    if (!checked.ok) return checked
    const saved = checked.saved.records.map((record) => {
      // The webhooks copy what code changed about them, which no watched value allows.
      return record.kind === 'outgoing' ? record : watched(record, () => void work.restored++)
    })
    return { ok: true, saved: { ...checked.saved, records: saved } }
  }
  const openStorage = () => openDataFolder(data, { records })
  const runtime = { ...nodeRuntime, checks: loadedChecks, control, openStorage }
  await using emulator = compose(runtime)({ clock: 'manual' })
  await emulator.ready()
}

function difference(more: Work, less: Work, times = 1): Work {
  return {
    read: times * (more.read - less.read),
    compared: times * (more.compared - less.compared),
    restored: times * (more.restored - less.restored),
  }
}

it.each([
  ['of one model', () => 1],
  ['of many models', (jobs: number) => jobs / 4],
])('a start from a data folder does twice as much for twice as many jobs %s', async (_, models) => {
  const folders: string[] = []
  for (const jobs of [20, 40, 80]) folders.push(await folderWith(jobs, models(jobs)))
  const work: Work = { read: 0, compared: 0, restored: 0 }
  countComparisons(work)
  const done: Work[] = []
  for (const data of folders) {
    Object.assign(work, { read: 0, compared: 0, restored: 0 })
    await startOf(data, work)
    done.push({ ...work })
  }
  const [first, second, third] = done as [Work, Work, Work]
  expect(Math.min(first.read, first.compared, first.restored)).toBeGreaterThan(20)
  // The rest of the work does not depend on the number of jobs.
  expect(difference(third, second)).toEqual(difference(second, first, 2))
})

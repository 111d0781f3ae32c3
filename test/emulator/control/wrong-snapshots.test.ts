import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, SnapshotError, type Snapshot } from '../../../src/index.js'
import { richWorlds } from '../rich-worlds.js'
import { opened, sealed, withDigest, type Opened } from '../../support/snapshots.js'
import { submit } from '../../support/trainer.js'
import { controlled } from './control.js'

const busy = await richWorlds.busy!()
const scripted = await richWorlds.scripted!()
const snapshots = { busy: await busy.snapshot(), scripted: await scripted.snapshot() }
await Promise.all([busy.close(), scripted.close()])

type Which = keyof typeof snapshots

interface Wrong {
  what: string
  of?: Which
  change: (content: Opened) => void
  /** The name of the field in the message, and the rest of the message. */
  told: RegExp
}

function kind(content: Opened, name: string) {
  return [...content.records, ...content.hidden].find((each) => each.kind === name)
}

function piece(content: Opened, what: string) {
  return [...content.hidden, ...content.records].find(
    ({ kind: name, key }) => name === 'outgoing' && key.startsWith(what),
  )
}

/** The progress of a job that is running. */
function running(content: Opened) {
  return content.records.find(({ state }) => state?.status === 'running')
}

function jobOf(content: Opened, key: string) {
  return content.records.find((each) => each.kind === 'job' && each.key === key)
}

const wrong: Wrong[] = [
  {
    what: 'a record that is null',
    change: ({ records }) => (records[2] = null),
    told: /\n {2}records\[2\]: expected a map of keys and values, got null/,
  },
  {
    what: 'a model that is null',
    change: (content) => (kind(content, 'model').record = null),
    told: /records\[\d+\]\.record: expected a model, or "deleted", got null/,
  },
  {
    what: 'the name of a model that is a number',
    change: (content) => (kind(content, 'model').record.name = 5),
    told: /records\[\d+\]\.record\.name: expected a text, got 5/,
  },
  {
    what: 'aliases that are a map with the key __proto__',
    of: 'scripted',
    change: (content) => (kind(content, 'aliases').aliases = JSON.parse('{"__proto__": "x"}')),
    told: /records\[\d+\]\.aliases\.__proto__: is not allowed here/,
  },
  {
    what: 'aliases of a checkpoint that is not there',
    of: 'scripted',
    change: (content) => (kind(content, 'aliases').aliases = [['__proto__', 'none']]),
    told: /\.aliases\[0\]\[1\]: there is no checkpoint of this model "none"/,
  },
  {
    what: 'the parts of webhooks that are null',
    change: (content) => (piece(content, 'parts').kept.added.webhooks = [null]),
    told: /secrets\[\d+\]\.kept\.added\.webhooks\[0\]: expected a map of keys and values, got null/,
  },
  {
    what: 'a webhook whose URL is none',
    change: (content) => (piece(content, 'parts').kept.added.webhooks[0].url = 'ftp://a-secret@b'),
    told: /\.kept\.added\.webhooks\[0\]\.url: expected a URL that begins with http:\/\/ or https:\/\/, got a text/,
  },
  {
    what: 'a delivery without a URL',
    change: (content) => delete piece(content, 'delivery').kept.url,
    told: /secrets\[\d+\]\.kept\.url: is missing/,
  },
  {
    what: 'a delivery of nonsense',
    change: (content) => (piece(content, 'delivery').kept = { hello: 1 }),
    told: /secrets\[\d+\]\.kept\.hello: unknown key "hello"\. Known here: automation, webhook, url/,
  },
  {
    what: 'faults of nonsense',
    change: (content) => (kind(content, 'faults').faults = 'nonsense'),
    told: /secrets\[\d+\]\.faults: expected a list, got a text/,
  },
  {
    what: 'a seed that is a text',
    change: ({ records }) => (records[1].seed = 'one'),
    told: /\n {2}records\[1\]\.seed: expected a number, got "one"/,
  },
  {
    what: 'the metrics of a checkpoint that are null',
    change: (content) => (kind(content, 'checkpoint').metrics = null),
    told: /records\[\d+\]\.metrics: expected a list, got null/,
  },
  {
    what: 'a timeline of nonsense',
    change: (content) => (kind(content, 'timeline').planned = 'nonsense'),
    told: /records\[\d+\]\.planned: expected a list, got "nonsense"/,
  },
  {
    what: 'a misspelled key',
    change: ({ records }) => {
      const { seed, ...rest } = records[1]
      records[1] = { ...rest, sead: seed }
    },
    told: /\n {2}records\[1\]\.sead: unknown key "sead"\. Did you mean "seed"\?/,
  },
  {
    what: 'a misspelled kind',
    change: (content) => (kind(content, 'job').kind = 'jobb'),
    told: /records\[\d+\]\.kind: "jobb" is not allowed here\. Did you mean "job"\?/,
  },
  {
    what: 'a misspelled piece of the webhooks',
    change: (content) => (piece(content, 'webhook').key = 'webhok hook'),
    told: /\.key: expected "parts", or one of .*\. Did you mean "webhook"\?/,
  },
  {
    what: 'a job of a model that is not there',
    change: (content) => {
      const { key } = running(content)
      jobOf(content, key).model.id = 'none'
    },
    told: /\.model\.id: there is no model "none"/,
  },
  {
    what: 'a job whose progress is not there',
    change: (content) =>
      content.records.splice(content.records.indexOf(kind(content, 'progress')), 1),
    told: /records\[\d+\]\.key: there is no progress of the job "/,
  },
  {
    what: 'an SFT job that is not there',
    change: (content) => (kind(content, 'sft').job = 'none'),
    told: /secrets\[\d+\]\.job: there is no SFT job "none"/,
  },
  {
    what: 'a job that would start again',
    change: (content) => {
      running(content).script[0] = 0
    },
    told: /\.script\[0\]: the job would start again/,
  },
  {
    what: 'a job that would never end',
    change: (content) => {
      const { key, script } = running(content)
      const { rule } = jobOf(content, key)
      script[0] = rule.timeline.length
    },
    told: /\.script\[0\]: the job would never end/,
  },
  {
    what: 'a moment that is none',
    change: (content) => (kind(content, 'clock').now = 9e15),
    told: /records\[0\]\.now: expected at most 8000000000000000, got 9000000000000000/,
  },
  {
    what: 'no world',
    change: (content) => {
      content.records.splice(1, 1)
      content.hidden.splice(0, 1)
    },
    told: /\n {2}records: there is no record of the kind "world"/,
  },
]

/** A world in use, which a refusal must leave as it is. */
async function inUse() {
  const { emulator, call } = controlled()
  await submit(emulator)
  emulator.clock.advance('2s')
  const before = JSON.stringify(await emulator.snapshot())
  return { emulator, call, before }
}

/**
 * Returns the refusal of a snapshot. It must be the same over HTTP and in code, and change nothing.
 */
async function refusalOf(snapshot: unknown): Promise<string> {
  const { emulator, call, before } = await inUse()
  const { status, body } = await call('PUT /snapshot', snapshot)
  const detail = String(body.detail)
  expect({ status, detail }).toMatchObject({ status: 400 })
  expect(detail).toContain('Nothing was changed.')
  expect(detail).not.toMatch(/a-secret|an-older-one|key-of-ann/)
  expect(() => emulator.restore(snapshot)).toThrow(detail)
  expect(JSON.stringify(await emulator.snapshot())).toBe(before)
  return detail
}

describe('a snapshot is refused with the name of the field, and changes nothing:', () => {
  it.each(wrong)('$what', async ({ of = 'busy', change, told }) => {
    const content = opened(snapshots[of])
    change(content)
    expect(await refusalOf(sealed(content))).toMatch(told)
  })

  it.each([
    ['secrets that are no base64', 'no base64!', 'secrets: expected base64 of a text'],
    ['secrets that are no JSON', btoa('{"kind":'), 'secrets: expected base64 of JSON'],
    ['secrets that are no list', btoa('{}'), 'secrets: expected base64 of a list of records'],
    ['secrets that are a number', 5, 'secrets: expected a text, got a number'],
  ])('%s', async (_, secrets, told) => {
    const { records } = snapshots.busy
    expect(await refusalOf(withDigest({ records, secrets }))).toContain(`\n  ${told}`)
  })

  it.each([
    ['another format', { format: 'another' }, 'format: "another" is not allowed here'],
    ['a version that is a text', { version: 'one' }, 'version: expected a number, got "one"'],
    ['an unknown key', { recods: [] }, 'recods: unknown key "recods". Did you mean "records"?'],
    ['records that are null', { records: null }, 'records: expected a list, got null'],
  ])('%s', async (_, more, told) => {
    const { emulator, before } = await inUse()
    expect(() => emulator.restore({ ...snapshots.busy, ...more })).toThrow(`\n  ${told}`)
    expect(JSON.stringify(await emulator.snapshot())).toBe(before)
  })

  it('altered records, with the digest and with the name of the field', async () => {
    const content = opened(snapshots.busy)
    content.records[1].seed = 'one'
    const altered = { ...snapshots.busy, records: content.records }
    const { call } = controlled()
    const { status, body } = await call('PUT /snapshot', altered)
    expect(status).toBe(400)
    expect(body.detail).toMatch(/its digest does not match.*\n {2}records\[1\]\.seed: /)
  })

  it('a million base models', async () => {
    const { call, emulator, before } = await inUse()
    const content = opened(snapshots.busy)
    content.records[1].scenario.base_models = Array.from({ length: 1e6 }, (_, of) => `m-${of}`)
    const { status, body } = await call('PUT /snapshot', sealed(content))
    expect(status).toBe(400)
    expect(body.detail).toContain(
      '\n  records[1].scenario.base_models: expected at most 1000 of them, got ["m-0"',
    )
    expect(JSON.stringify(await emulator.snapshot())).toBe(before)
  })

  it('endlessly nested lists', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    const snapshot = { ...snapshots.busy, records: [{ kind: 'turns', turns: cyclic }] }
    expect(() => createEmulator({ snapshot })).toThrow(/records\[0\]\.turns.*is nested too deeply/)
  })
})

describe('an invalid snapshot', () => {
  it('is refused without showing an API key or a secret', async () => {
    const { records, hidden } = opened(snapshots.scripted)
    const world = hidden.find(({ kind: name }) => name === 'world')
    world.scenario.auth.keys['key-of-ann'] = 'a-secret'
    world.scenario.secrets = ['a-secret']
    world.scenario.webhooks[0].url = 'a-secret'
    const { call } = controlled()
    const { status, body } = await call('PUT /snapshot', sealed({ records, hidden }))
    expect(status).toBe(400)
    expect(body.detail).toContain('.scenario.auth.keys.[not shown]: expected a map')
    expect(body.detail).toContain(
      '.scenario.secrets: expected a map of keys and values, got a list',
    )
    expect(body.detail).not.toMatch(/a-secret|key-of-ann/)
  })

  it('throws a SnapshotError in code, and creates no emulator', () => {
    const content = opened(snapshots.busy)
    content.records[1].seed = null
    const make = (): unknown => createEmulator({ snapshot: sealed(content) })
    expect(make).toThrow(SnapshotError)
    expect(make).toThrow(expect.objectContaining({ code: 'SVTRAIN_SNAPSHOT_INVALID' }))
  })

  it('is refused with at most ten problems', async () => {
    const content = opened(snapshots.busy)
    content.records.push(...Array.from({ length: 1000 }, () => null))
    const { call } = controlled()
    const { body } = await call('PUT /snapshot', sealed(content))
    expect(body.detail.split('\n')).toHaveLength(11)
  })
})

describe('a valid snapshot', () => {
  it('can hold a metric that was not a number', async () => {
    const { emulator } = controlled()
    await emulator.models.create({ name: 'poet' })
    await emulator.checkpoints.add({ metrics: { 'val/x': Number.NaN } })
    const other = controlled()
    const snapshot = await emulator.snapshot()
    expect(await other.call('PUT /snapshot', snapshot)).toMatchObject({ status: 200 })
    expect(await other.emulator.snapshot()).toEqual(snapshot)
  })

  it('is not changed by the world that is restored from it', async () => {
    const snapshot = JSON.parse(JSON.stringify(snapshots.scripted)) as Snapshot
    const { emulator, call } = controlled({ snapshot })
    onTestFinished(() => emulator.close())
    const stalled = emulator.jobs.all.find(({ status }) => status === 'running')!
    await call(`POST /jobs/${stalled.id}/resume`)
    await call('POST /clock/advance', { by: '1h' })
    expect(snapshot).toEqual(snapshots.scripted)
  })

  it('can have jobs whose rule had functions', async () => {
    const { emulator } = controlled({
      scenario: {
        name: 'with code',
        jobs: [
          {
            match: () => true,
            timeline: [
              { event: 'pause', for: '1h' },
              { event: 'training_started' },
              { event: 'training_ended' },
            ],
          },
        ],
      },
    })
    const job = await submit(emulator)
    emulator.follow(createEmulator().scenario)
    const other = controlled()
    other.emulator.restore(await emulator.snapshot())
    await other.emulator.ready()
    other.emulator.clock.advance('2h')
    expect(other.emulator.job(job).status).toBe('ended')
  })
})

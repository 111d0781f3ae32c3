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

/** What is told of a change of a snapshot: the name of the field, and what is wrong with it. */
const wrong: [told: RegExp, change: (content: Opened) => void, of?: Which][] = [
  [
    /\n {2}records\[2\]: expected a map of keys and values, got null/,
    ({ records }) => (records[2] = null),
  ],
  [
    /records\[\d+\]\.record: expected a model, or "deleted", got null/,
    (content) => (kind(content, 'model').record = null),
  ],
  [
    /records\[\d+\]\.aliases\.__proto__: is not allowed here/,
    (content) => (kind(content, 'aliases').aliases = JSON.parse('{"__proto__": "x"}')),
    'scripted',
  ],
  [
    /\.aliases\[0\]\[1\]: there is no checkpoint of this model "none"/,
    (content) => (kind(content, 'aliases').aliases = [['__proto__', 'none']]),
    'scripted',
  ],
  [
    /secrets\[\d+\]\.kept\.added\.webhooks\[0\]: expected a map of keys and values, got null/,
    (content) => (piece(content, 'parts').kept.added.webhooks = [null]),
  ],
  [
    /\.kept\.added\.webhooks\[0\]\.url: expected a URL that begins with http:\/\/ or https:\/\/, got a text/,
    (content) => (piece(content, 'parts').kept.added.webhooks[0].url = 'ftp://a-secret@b'),
  ],
  [
    /secrets\[\d+\]\.kept\.url: is missing/,
    (content) => delete piece(content, 'delivery').kept.url,
  ],
  [
    /secrets\[\d+\]\.kept\.hello: unknown key "hello"\. Known here: automation, webhook, url/,
    (content) => (piece(content, 'delivery').kept = { hello: 1 }),
  ],
  [
    /secrets\[\d+\]\.faults: expected a list, got a text/,
    (content) => (kind(content, 'faults').faults = 'nonsense'),
  ],
  [
    /\n {2}records\[1\]\.seed: expected a number, got "one"/,
    ({ records }) => (records[1].seed = 'one'),
  ],
  [
    /\n {2}records\[1\]\.sead: unknown key "sead"\. Did you mean "seed"\?/,
    ({ records }) => {
      const { seed, ...rest } = records[1]
      records[1] = { ...rest, sead: seed }
    },
  ],
  [
    /records\[\d+\]\.kind: "jobb" is not allowed here\. Did you mean "job"\?/,
    (content) => (kind(content, 'job').kind = 'jobb'),
  ],
  [
    /\.key: expected "parts", or one of .*\. Did you mean "webhook"\?/,
    (content) => (piece(content, 'webhook').key = 'webhok hook'),
  ],
  [
    /\.model\.id: there is no model "none"/,
    (content) => {
      const { key } = running(content)
      jobOf(content, key).model.id = 'none'
    },
  ],
  [
    /records\[\d+\]\.key: there is no progress of the job "/,
    (content) => content.records.splice(content.records.indexOf(kind(content, 'progress')), 1),
  ],
  [
    /secrets\[\d+\]\.job: there is no SFT job "none"/,
    (content) => (kind(content, 'sft').job = 'none'),
  ],
  [
    /\.script\[0\]: the job would start again/,
    (content) => {
      running(content).script[0] = 0
    },
  ],
  [
    /\.script\[0\]: the job would never end/,
    (content) => {
      const { key, script } = running(content)
      const { rule } = jobOf(content, key)
      script[0] = rule.timeline.length
    },
  ],
  [
    /records\[0\]\.now: expected at most 8000000000000000, got 9000000000000000/,
    (content) => (kind(content, 'clock').now = 9e15),
  ],
  [
    /\n {2}records: there is no record of the kind "world"/,
    (content) => {
      content.records.splice(1, 1)
      content.hidden.splice(0, 1)
    },
  ],
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
  it.each(wrong)('%s', async (told, change, of = 'busy') => {
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

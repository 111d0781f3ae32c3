import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../src/index.js'
import { putArtifact } from '../../src/service/platform/put-artifact.js'
import { fillPlatform } from './rich-platform.js'
import { opened, sealed, type Opened } from '../support/snapshots.js'
import { folderInMemory } from '../support/temporary-folder.js'
import { openEmulator } from './open-emulator.js'

const ADA = { user: 'ada' }
const PROJECT = { entity: 'local-team', project: 'verse' }
const ROWS = { ...PROJECT, collection: 'rows', type: 'dataset' }
const bytesOf = (text: string) => new TextEncoder().encode(text)

async function filled(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = openEmulator(options)
  await emulator.models.create({ name: 'poet' })
  fillPlatform(emulator)
  return emulator
}

async function inFolder(data: string): Promise<Emulator> {
  const emulator = openEmulator({ data })
  await emulator.ready()
  return emulator
}

/** A change that no call makes is saved in the next turn. */
async function saved(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

async function contentOf(emulator: Emulator): Promise<Opened> {
  return opened(await emulator.snapshot())
}

describe('runs and artifacts', () => {
  it('have contents in parts of 192 kB', async () => {
    const emulator = openEmulator()
    await emulator.artifacts.put({ name: 'rows', files: { 'rows.jsonl': 'x'.repeat(200_000) } })
    const { records } = await contentOf(emulator)
    const manifest = 1
    expect(records.filter(({ kind }) => kind === 'content_part')).toHaveLength(2 + manifest)
  })

  it('continue as in a world that was never saved', async () => {
    const emulator = await filled()
    const other = openEmulator({ snapshot: await emulator.snapshot() })
    await other.ready()
    for (const { engine } of [emulator, other]) {
      const { artifacts, projects, runs } = engine.platformWithCheckpoints()
      const { run } = runs.upsert({ ...PROJECT, name: 'deleted' }, {}, ADA)
      putArtifact(
        engine.platformWithCheckpoints(),
        { ...ROWS, run },
        { files: { 'a.txt': bytesOf('five') } },
        ADA,
      )
      const project = projects.get(PROJECT.entity, PROJECT.project)
      artifacts.addAliases(new Map([[artifacts.find(project, 'rows:v0')!, ['best']]]), ADA)
      artifacts.delete(artifacts.find(project, 'rows:v2')!.artifact, { withAliases: true }, ADA)
      runs.delete(runs.get({ ...PROJECT, name: 'poem' }))
    }
    expect(await contentOf(other)).toEqual(await contentOf(emulator))
  })

  it('forget the artifacts that were deleted first, with all that is saved of them', async () => {
    const data = folderInMemory()
    const emulator = openEmulator({ data })
    const { artifacts, runs } = emulator.engine.platformWithCheckpoints()
    const { run } = runs.upsert({ ...PROJECT, name: 'reader' }, {}, ADA)
    const put = (text: string) => {
      const files = { 'a.txt': bytesOf(text) }
      return putArtifact(emulator.engine.platformWithCheckpoints(), ROWS, { files }, ADA)
    }
    const first = put('first')
    artifacts.use(first, run)
    const kept = put('kept')
    artifacts.delete(first, { withAliases: true }, ADA)
    await saved()
    expect(artifacts.withId(first.id)?.state).toBe('DELETED')
    for (let count = 0; count < 2500; count++) artifacts.delete(put(`${count}`), {}, ADA)
    expect(artifacts.withId(first.id)).toBeUndefined()
    expect(artifacts.withId(kept.id)?.state).toBe('COMMITTED')
    expect([...artifacts.all]).toHaveLength(2001)
    const before = await contentOf(emulator)
    await emulator.close()
    expect(await contentOf(await inFolder(data))).toEqual(before)
  })

  it('know an upload that a client began before', async () => {
    const data = folderInMemory()
    const emulator = openEmulator({ data })
    const create = ({ engine }: Emulator) => {
      return engine
        .platformWithCheckpoints()
        .artifacts.create(ROWS, { digest: 'abc', clientId: 'c' }, ADA)
    }
    await emulator.ready()
    const artifact = create(emulator)
    const digest = emulator.engine.platformWithCheckpoints().blobs.digestOf(bytesOf('one'))
    const { artifacts } = emulator.engine.platformWithCheckpoints()
    const [file] = artifacts.addFiles([{ artifact, path: 'a.txt', digest }])
    await emulator.close()

    const next = await inFolder(data)
    expect(create(next).id).toBe(artifact.id)
    const platform = next.engine.platformWithCheckpoints()
    expect(() => platform.upload(file!.id, bytesOf('two'))).toThrow(`expected the MD5 ${digest}`)
    expect(platform.upload(file!.id, bytesOf('one')).digest).toBe(digest)
    expect(platform.artifacts.withClientId('c')?.id).toBe(artifact.id)
  })

  it('are counted again when they come back, so that limits stay', async () => {
    const emulator = await filled()
    const other = openEmulator({ snapshot: await emulator.snapshot() })
    const { blobs, artifacts } = other.engine.platformWithCheckpoints()
    expect(blobs.bytes).toBe(emulator.engine.platformWithCheckpoints().blobs.bytes)
    expect(artifacts.count).toBe(emulator.engine.platformWithCheckpoints().artifacts.count)
    for (const artifact of artifacts.all) {
      artifacts.delete(artifact, { withAliases: true }, ADA)
    }
    expect(artifacts.count).toBe(0)
    expect([...blobs.all()].map(([, size]) => size)).toEqual([15])
  })

  it('cost nothing where nobody uses them', async () => {
    const emulator = openEmulator()
    await emulator.jobs.start()
    const { records, hidden } = await contentOf(emulator)
    const kinds = [...records, ...hidden].map(({ kind }) => kind as string)
    const own = /^(?:platform|project|run|collection|artifact|version|upload|manifest|content)/
    expect(kinds.filter((kind) => own.test(kind))).toEqual([])
  })

  it('write a small part of a long history when it gets one more line', async () => {
    const data = folderInMemory()
    const emulator = await inFolder(data)
    const { runs } = emulator.engine.platformWithCheckpoints()
    const { run } = runs.upsert({ ...PROJECT, name: 'long' }, { config: '{"a": 1}' }, ADA)
    const lines = Array.from({ length: 20_000 }, (_, step) => `{"_step": ${step}, "loss": 0.5}`)
    runs.log(run, { history: { offset: 0, lines } }, ADA)
    await saved()
    const size = () => statSync(join(data, 'world.ndjson')).size
    const before = size()
    expect(before).toBeGreaterThan(500_000)
    runs.log(run, { history: { offset: 20_000, lines: ['{"_step": 20000}'] } }, ADA)
    await saved()
    expect(size() - before).toBeLessThan(3000)
  })
})

describe('contents in a data folder', () => {
  const fileOf = (data: string, text: string) => {
    return join(data, 'contents', createHash('md5').update(text).digest('hex'))
  }

  /** Reads files of the first version, as texts. */
  function firstVersion({ artifacts, projects }: Emulator['engine']['clientPlatform']) {
    const project = projects.get(PROJECT.entity, PROJECT.project)
    const { artifact } = artifacts.find(project, 'rows:v0')!
    return (path: string): string | undefined => {
      const bytes = artifacts.contents.read(artifact, path)
      return bytes && new TextDecoder().decode(bytes)
    }
  }

  async function withContents(): Promise<string> {
    const data = folderInMemory()
    const emulator = await filled({ data })
    await saved()
    await emulator.close()
    return data
  }

  it('are not among the records, and are in a snapshot', async () => {
    const data = await withContents()
    const log = readFileSync(join(data, 'world.ndjson'), 'utf8')
    expect(log).toContain('"kind":"content"')
    expect(log).not.toContain('"kind":"content_part"')
    const snapshot = await (await inFolder(data)).snapshot()
    const { engine } = openEmulator({ snapshot })
    expect(firstVersion(engine.platformWithCheckpoints())('train.jsonl')).toBe('one')
  })

  it('come into the folder with a snapshot that is restored', async () => {
    const snapshot = await (await filled()).snapshot()
    const data = folderInMemory()
    const emulator = await inFolder(data)
    emulator.restore(snapshot)
    await emulator.ready()
    expect(readFileSync(fileOf(data, 'one'), 'utf8')).toBe('one')
    expect(await contentOf(emulator)).toEqual(opened(snapshot))
  })

  it('that are lost do not keep the rest from coming back', async () => {
    const data = await withContents()
    rmSync(fileOf(data, 'one'))
    const emulator = await inFolder(data)
    const snapshot = await emulator.snapshot()
    await emulator.close()
    const other = openEmulator({ snapshot })
    expect(await contentOf(other)).toEqual(opened(snapshot))
    const platform = other.engine.platformWithCheckpoints()
    const read = firstVersion(platform)
    expect([read('train.jsonl'), read('same.txt')]).toEqual([undefined, 'the same'])
    putArtifact(platform, ROWS, { files: { 'train.jsonl': bytesOf('one') } }, ADA)
    expect(read('train.jsonl')).toBe('one')
  })

  it('stay while the manifest that names them is away', async () => {
    const data = await withContents()
    const manifests = readdirSync(join(data, 'contents'))
      .map((name) => join(data, 'contents', name))
      .filter((file) => readFileSync(file, 'utf8').startsWith('{"version"'))
    const texts = manifests.map((file) => readFileSync(file))
    for (const file of manifests) rmSync(file)
    const emulator = await inFolder(data)
    await emulator.models.create({ name: 'saved' })
    await saved()
    await emulator.close()
    for (const [index, file] of manifests.entries()) writeFileSync(file, texts[index]!)
    const platform = (await inFolder(data)).engine.platformWithCheckpoints()
    expect(firstVersion(platform)('train.jsonl')).toBe('one')
  })
})

it('checkpoints as artifacts are the same artifacts after a restart, and new ones follow', async () => {
  const data = folderInMemory()
  const emulator = openEmulator({ data })
  await emulator.models.create({ name: 'poet' })
  const idsIn = ({ engine }: Emulator) => {
    return [...engine.platformWithCheckpoints().artifacts.all].map(
      ({ id, state }) => `${id} ${state}`,
    )
  }
  const before = idsIn(emulator)
  expect(before).toHaveLength(1)
  await emulator.close()

  const next = await inFolder(data)
  expect(idsIn(next)).toEqual(before)
  expect(next.engine.checkpointArtifacts.hasOthers).toBe(false)
  await next.jobs.start({ model: 'poet' })
  next.clock.advance('10m')
  expect(idsIn(next).length).toBeGreaterThan(1)
  next.models.delete('poet')
  expect(idsIn(next).filter((each) => !each.endsWith('DELETED'))).toEqual([])
})

/** A record of a snapshot, whatever it is. */
type AnyRecord = Opened['records'][number]

type Change = (record: AnyRecord, all: AnyRecord[]) => void

const without = (kind: string) => (_record: unknown, all: { kind: string }[]) => {
  all.splice(0, all.length, ...all.filter((each) => each.kind !== kind))
}

it.each<
  [kind: string, told: string | RegExp, change: Change, like?: (record: AnyRecord) => boolean]
>([
  ['run', 'run.project: there is no project "none"', ({ run }) => (run.project = 'none')],
  [
    'run',
    /run.name: there is another run of the project with that name$/,
    ({ run }) => (run.name = 'failed'),
  ],
  ['run', /there is no run_progress of the run/, without('run_progress')],
  [
    'run',
    'run.config: expected a JSON object as a text, got a text',
    ({ run }) => (run.config = '[]'),
  ],
  ['run_lines', 'key: there is no run "none"', (record) => (record.key = 'none history 0')],
  [
    'run_lines',
    'key: expected the id of a run, its stream, and a chunk',
    (record) => (record.key = record.key.replace(/0$/, '10000')),
  ],
  [
    'run_lines',
    'lines: expected at most 32 lines, got 33',
    (record) => (record.lines = Array(33).fill('{}')),
  ],
  [
    'run_file',
    'file.digest: there is no content with the MD5 "none"',
    ({ file }) => (file.digest = 'none'),
  ],
  ['platform', 'runs: expected at least 7, the number of runs', (record) => (record.runs = 1)],
  [
    'platform',
    /artifacts: expected at least \d+, the number of artifacts/,
    (record) => (record.artifacts = 0),
  ],
  [
    'collection',
    /name: there is another collection of the project with that name/,
    (each) => (each.name = 'rows'),
    ({ name }) => name === 'parts',
  ],
  [
    'artifact',
    'artifact.source: there is no collection of artifacts "none"',
    ({ artifact }) => (artifact.source = 'none'),
    ({ artifact }) => artifact.state === 'PENDING',
  ],
  [
    'artifact',
    /version.artifact: there is no committed artifact/,
    ({ artifact }) => (artifact.state = 'PENDING'),
    ({ artifact }) => artifact.state === 'COMMITTED',
  ],
  ['artifact', /artifact.state: the artifact has no version in its collection/, without('version')],
  [
    'version',
    /version.aliases\[\d\]: another version of the collection has the alias "best"/,
    ({ version }) => version.aliases.push('best'),
    ({ version }) => version.index === 3,
  ],
  [
    'version',
    'version.artifact: there is no committed artifact "none"',
    ({ version }) => (version.artifact = 'none'),
  ],
  [
    'version',
    /version.index: expected less than \d, the next index/,
    ({ version }) => (version.index = 9),
  ],
  ['client_id', 'artifact: there is no artifact "none"', (record) => (record.artifact = 'none')],
  ['upload', 'artifact: there is no artifact "none"', (record) => (record.artifact = 'none')],
  [
    'manifest',
    'base: there is no artifact "none"',
    (record) => (record.base = 'none'),
    ({ base }) => base,
  ],
  [
    'content',
    /^content.size: the parts of the content do not have \d+ bytes$/,
    (record) => record.size++,
  ],
  ['content_part', /size: the parts of the content do not have/, (record) => (record.bytes = '?')],
])(
  'a damaged world with a wrong %s is refused: %s',
  async (kind, told, change, like = () => true) => {
    const { records, hidden } = await contentOf(await filled())
    const index = records.findIndex((record) => record.kind === kind && like(record))
    change(records[index], records)
    const emulator = openEmulator()
    const before = await contentOf(emulator)
    let message = 'It was accepted.'
    try {
      emulator.restore(sealed({ records, hidden }))
    } catch (error) {
      message = (error as Error).message.split('\n')[1]!.replace(`records[${index}]`, kind).trim()
    }
    expect(await contentOf(emulator)).toEqual(before)
    expect(message).toEqual(
      typeof told === 'string' ? `${kind}.${told}` : expect.stringMatching(told),
    )
  },
)

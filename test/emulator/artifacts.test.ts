import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { describeTransports } from '../support/transports.js'
import { createModel, listEvents } from '../support/trainer.js'
import { controlled, controlledOver } from './control/control.js'

const EXAMPLE =
  '{"messages":[{"role":"user","content":"2 + 2?"},{"role":"assistant","content":"4"}]}\n'
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

describeTransports('artifacts', (open) => {
  it('can be put as training data of an SFT job', async () => {
    const { emulator, api } = await controlledOver(open, { scenario: 'sft', clock: 'manual' })
    const { url } = await emulator.artifacts.put({
      name: 'rows',
      project: 'verse',
      files: { 'train.jsonl': EXAMPLE.repeat(6) },
    })
    const { id } = await createModel(api)
    const config = { batch_size: 2 }
    const asked = { model_id: id, training_data_url: url, config }
    const { body: job } = await api.post('/preview/sft-training-jobs', asked)
    emulator.clock.advance('10m')
    const events = await listEvents(api, job.id)
    expect(events[0]!.data).toEqual({ num_sequences: 3 })
  })

  it('are put, listed, read and downloaded in code and over HTTP', async () => {
    const { emulator, client } = await controlledOver(open)
    const first = await emulator.artifacts.put({
      name: 'rows',
      files: { 'train.jsonl': EXAMPLE, 'data/all.bin': BYTES },
      description: 'Rows',
      metadata: { rows: 1 },
      aliases: ['best'],
      tags: ['clean'],
    })
    expect(first).toMatchObject({
      path: 'local-team/demo/rows:v0',
      version: 'v0',
      type: 'dataset',
      aliases: ['latest', 'best'],
      tags: ['clean'],
      metadata: { rows: 1 },
      size: EXAMPLE.length + 256,
      file_count: 2,
      job: null,
      run: null,
      url: 'wandb-artifact:///local-team/demo/rows:v0',
    })
    const second = await client.artifacts.put({
      name: 'rows',
      files: { 'train.jsonl': EXAMPLE, 'data/all.bin': BYTES.toReversed() },
      aliases: ['best'],
    })
    const { artifacts } = emulator
    expect(artifacts.list().map(({ path, aliases }) => [path, aliases])).toEqual([
      ['local-team/demo/rows:v1', ['latest', 'best']],
      ['local-team/demo/rows:v0', []],
    ])
    expect(artifacts.collections()).toMatchObject([
      {
        path: 'local-team/demo/rows',
        linked: false,
        versions: ['v1', 'v0'],
        aliases: { latest: 'v1', best: 'v1' },
      },
    ])
    expect(artifacts.get('rows:best')).toEqual(second)
    expect(artifacts.get(first.url).path).toBe(first.path)
    expect(await artifacts.download('rows:v0', 'data/all.bin')).toEqual(BYTES)
    const all = await artifacts.download('rows')
    expect(all['data/all.bin']).toEqual(BYTES.toReversed())
    expect(new TextDecoder().decode(all['train.jsonl'])).toBe(EXAMPLE)

    expect(await client.artifacts.list()).toEqual(artifacts.list())
    expect(await client.artifacts.list({ type: 'lora' })).toEqual([])
    expect(await client.artifacts.collections({ name: 'rows' })).toEqual(artifacts.collections())
    expect(await client.artifacts.get('local-team/demo/rows:best')).toEqual(second)
    expect(await client.artifacts.download('local-team/demo/rows:v0', 'data/all.bin')).toEqual(
      BYTES,
    )
    expect(await client.artifacts.download(second.url)).toEqual(all)
  })
})

it('has the checkpoints, each with the job that made it', async () => {
  const emulator = createEmulator()
  const job = await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  const checkpoints = emulator.artifacts.list({ type: 'lora', name: 'poet' })
  expect(checkpoints.map(({ aliases, job: made }) => [aliases, made])).toEqual([
    [['latest', 'step1'], job.id],
    [['step0'], null],
  ])
  expect(emulator.artifacts.get('poet:step1').files.map(({ path }) => path)).toEqual([
    'adapter_config.json',
    'adapter_model.safetensors',
  ])
})

it('are listed with the newest first, as many as you ask for', async () => {
  const { artifacts } = createEmulator()
  for (const text of ['1', '2', '3']) await artifacts.put({ name: 'rows', files: { a: text } })
  expect(artifacts.list({ limit: 2 }).map(({ version }) => version)).toEqual(['v2', 'v1'])
})

it('keeps each file, whatever its name', async () => {
  const { emulator, client } = controlled()
  const files = JSON.parse('{ "__proto__": "a", "b": "b" }') as Record<string, string>
  for (const { artifacts } of [emulator, client]) {
    await artifacts.put({ name: 'rows', files, aliases: ['best'] })
    const { files: put } = await artifacts.get('local-team/demo/rows:best')
    expect(put.map(({ path }) => path)).toEqual(['__proto__', 'b'])
    emulator.reset()
  }
})

it('keeps its own copy of the bytes', async () => {
  const { artifacts } = createEmulator()
  const bytes = Uint8Array.of(1, 2, 3)
  await artifacts.put({ name: 'rows', files: { 'a.bin': bytes } })
  bytes.fill(0)
  expect(await artifacts.download('rows', 'a.bin')).toEqual(Uint8Array.of(1, 2, 3))
})

it('says what there is instead', async () => {
  const { artifacts } = createEmulator()
  expect(() => artifacts.get('rows')).toThrow('there is no artifact "rows": none was logged.')
  expect(() => artifacts.get('')).toThrow(/^artifacts\.get: which /)
  await artifacts.put({ name: 'rows', files: { 'train.jsonl': EXAMPLE }, aliases: ['best'] })
  expect(() => artifacts.get('row:v0')).toThrow(
    'there is no artifact "row". Did you mean "rows"? There is only rows.',
  )
  expect(() => artifacts.get('local-team/demo/rows:bets')).toThrow(
    'the artifact local-team/demo/rows has no version or alias "bets". Did you mean "best"? There are v0, latest, best.',
  )
  await expect(artifacts.download('rows', 'train.json')).rejects.toThrow(
    'the artifact local-team/demo/rows:v0 has no file "train.json". Did you mean "train.jsonl"?',
  )
})

it.each([
  [{ files: {} }, 'option "name" is missing'],
  [{ name: 'rows', files: { a: 5 } }, 'option "files.a" is 5; expected a text or bytes'],
  [{ name: 'rows', files: {}, alias: [] }, 'Did you mean "aliases"?'],
  [{ name: 'rows', files: { '../a': '' } }, 'The path of the file is "../a"'],
])('refuses %j, and changes nothing', async (artifact, message) => {
  const emulator = createEmulator()
  const { digest } = await emulator.snapshot()
  await expect(emulator.artifacts.put(artifact as never)).rejects.toThrow(message)
  expect((await emulator.snapshot()).digest).toBe(digest)
  expect(emulator.artifacts.list()).toEqual([])
})

it('refuses the same over HTTP', async () => {
  const { call } = controlled()
  const put = (body: object) => call('POST /artifacts', body)
  expect(await put({ name: 'rows', files: { a: { base64: '!' } } })).toMatchObject({
    status: 400,
    body: { detail: 'files: the content of "a" is not base64.' },
  })
  expect(await put({ name: 'a/b', files: { a: '' } })).toMatchObject({ status: 400 })
  expect(await put({ name: 'rows', files: { a: '' } })).toMatchObject({ status: 200 })
  expect(await put({ name: 'rows', type: 'model', files: { a: 'b' } })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('has the type "dataset"') },
  })
  expect(await call('GET /artifacts/local-team/demo/rows:v9')).toMatchObject({ status: 404 })
})

it('artifacts of several projects are in the order of their creation', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  for (const [project, name] of [
    ['aa', 'first'],
    ['bb', 'rows'],
    ['aa', 'rows'],
  ] as const) {
    await emulator.artifacts.put({ project, name, files: { 'a.txt': project } })
    emulator.clock.advance('1m')
  }
  const paths = ['local-team/aa/rows', 'local-team/bb/rows', 'local-team/aa/first']
  expect(emulator.artifacts.collections().map(({ path }) => path)).toEqual(paths)
  expect(emulator.artifacts.list().map(({ path }) => path)).toEqual(
    paths.map((path) => `${path}:v0`),
  )
  expect(emulator.artifacts.get('rows').path).toBe('local-team/aa/rows:v0')
  expect(() => emulator.artifacts.get('rows:v0:nonsense')).toThrow(
    'has no version or alias "v0:nonsense"',
  )
})

/** Measures what a world remembers: time and memory by the number of samples, artifacts and ended jobs. */
import { createEmulator, type Emulator } from '../../src/index.js'
import { costOf, type Row } from './cost.js'
import * as world from './scale-world.js'
import type { Settings } from './settings.js'
import { figureOf, type Figure, type Table } from './table.js'
import { jsonHeaders } from '../support/api-client.js'
import { graphql, type Caller } from '../support/graphql.js'
import { logArtifact } from '../support/platform-client.js'

/** A kind of thing that worlds remember. */
interface Remembered {
  title: string
  /** What one of them is called. */
  what: string
  sizes: readonly number[]
  /** Makes one more in a world. */
  add: (emulator: Emulator, index: number) => Promise<unknown>
  /** The name of a call whose time may depend on their number, and the call. */
  column: string
  use: (emulator: Emulator, size: number) => Promise<unknown>
  note: string
}

const PROMPT = 'What is 2 + 2?'

async function chat(emulator: Emulator, content: string): Promise<unknown> {
  const response = await emulator.fetch(`${emulator.inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers: jsonHeaders(),
    body: JSON.stringify({ model: 'base', messages: [{ role: 'user', content }] }),
  })
  return response.json()
}

/** Submits answers that the model did not give in this form, so that they are looked for. */
async function submit(emulator: Emulator): Promise<void> {
  const model_id = await world.createModel(emulator, 'poet')
  const messages_and_choices = [
    { role: 'user', content: PROMPT },
    { role: 'assistant', content: 'It is four.' },
  ]
  const trajectories = [1, 0].map((reward) => ({ messages_and_choices, reward }))
  const body = { model_id, trajectory_groups: [{ trajectories }] }
  await world.call(emulator, '/preview/training-jobs', { method: 'POST', body })
}

const paths = new WeakMap<Emulator, string>()

/** To find the latest job takes longer than to read it, so it is found once. */
function pathOfLatest(emulator: Emulator): string {
  const path = paths.get(emulator) ?? `/preview/training-jobs/${emulator.job().id}`
  paths.set(emulator, path)
  return path
}

const caller = (emulator: Emulator): Caller => ({ emulator, fetch: emulator.fetch })

const KINDS: readonly Remembered[] = [
  {
    title: 'Sampled answers',
    what: 'sample',
    sizes: [100, 1000, 10_000, 100_000],
    add: (emulator, index) => chat(emulator, `${PROMPT} (${index})`),
    column: 'submit of two answers',
    use: submit,
    note: 'A world remembers the latest 20,000 for the lineage.',
  },
  {
    title: 'Artifacts',
    what: 'artifact',
    sizes: [10, 100, 1000, 10_000],
    add: (emulator, index) =>
      logArtifact(caller(emulator), { name: `data-${index}`, content: `row ${index}` }),
    column: 'query of one by its name',
    use: (emulator, size) =>
      graphql(
        caller(emulator),
        `query { project(name: "verse", entityName: "local-team") { artifact(name: "data-${size - 1}:v0") { id } } }`,
      ),
    note: 'Each has a file of a few bytes. To add one takes six calls.',
  },
  {
    title: 'Jobs that are over, each on a model that was deleted',
    what: 'job',
    sizes: [1000, 10_000, 20_000, 40_000],
    async add(emulator, index) {
      const model = await world.createModel(emulator, `model-${index}`)
      await world.createJob(emulator, model)
      await world.call(emulator, `/preview/models/${model}`, { method: 'DELETE' })
    },
    column: 'GET of the latest',
    use: (emulator) => world.call(emulator, pathOfLatest(emulator)),
    note: 'A world keeps 20,000 jobs.',
  },
]

export async function scaleOfRemembered(settings: Settings): Promise<Table[]> {
  const tables: Table[] = []
  for (const kind of KINDS) tables.push(await tableOf(kind, settings))
  return tables
}

async function tableOf(kind: Remembered, settings: Settings): Promise<Table> {
  const sizes = world.sizesFor(settings, kind.sizes)
  const rows: Row[] = []
  const added: number[] = []
  const memory: Figure[] = []
  for (const size of sizes) {
    const emulator = createEmulator({ clock: 'manual' })
    const before = world.heap()
    const start = process.cpuUsage()
    for (let index = 0; index < size; index++) await kind.add(emulator, index)
    const { user, system } = process.cpuUsage(start)
    added.push((user + system) / size)
    memory.push(figureOf([(world.heap() - before) / 1e6], 'MB'))
    const run = async (): Promise<void> => void (await kind.use(emulator, size))
    rows.push({ name: world.countOf(size, kind.what), run })
  }
  const costs = await costOf(rows, { rounds: settings.rounds, times: 30 })
  const used = world.besideFirst([...costs.values()], 'µs')
  return {
    title: kind.title,
    columns: ['to add one', kind.column, 'memory'],
    rows: rows.map(({ name }, index) => ({
      name,
      figures: [figureOf([added[index]!], 'µs'), used[index], memory[index]],
    })),
    notes: [`In process, microseconds of processor time, and the heap. ${kind.note}`],
  }
}

/** Measures the cost of calls while many jobs run, and the delay of their events in real time. */
import { costOf, type Row } from './cost.js'
import * as world from './scale-world.js'
import type { Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, type Table } from './table.js'

const SIZES = [1, 100, 1000, 10_000]

export async function scaleOfJobs(settings: Settings): Promise<Table[]> {
  return [await costOfCalls(settings), await lateness(settings)]
}

const TIMES = 30

async function costOfCalls(settings: Settings): Promise<Table> {
  const sizes = world.sizesFor(settings, SIZES)
  const rows: Row[] = []
  for (const jobs of sizes) rows.push(...(await rowsOf(jobs)))
  const costs = await costOf(rows, { rounds: settings.rounds * 2, times: TIMES })
  const columns = ['create', 'poll', 'delete a model']
  const figures = columns.map((column) =>
    world.besideFirst(
      sizes.map((jobs) => costs.get(`${column}, ${jobs}`)!),
      'µs',
    ),
  )
  return {
    title: 'Jobs that run at once',
    columns,
    rows: sizes.map((jobs, index) => ({
      name: world.countOf(jobs, 'job'),
      figures: figures.map((each) => each[index]),
    })),
    notes: [
      'In process, microseconds of processor time, beside the first row. Create: a model and a job on it, two calls. Poll: a job, and its events, two calls.',
    ],
  }
}

/** Deletes what it creates, so that the number of running jobs stays the same. */
async function rowsOf(jobs: number): Promise<Row[]> {
  const emulator = world.runningWorld(100_000, { clock: 'manual' })
  let id = ''
  for (let job = 0; job < jobs; job++) {
    id = await world.createJob(emulator, await world.createModel(emulator, `model-${job}`))
  }
  emulator.clock.advance('5s')
  let made = 0
  const models: string[] = []
  const create = async (): Promise<void> => {
    models.push(await world.createModel(emulator, `made-${made++}`))
    await world.createJob(emulator, models.at(-1)!)
  }
  const remove = async (): Promise<void> => {
    await world.call(emulator, `/preview/models/${models.pop()!}`, { method: 'DELETE' })
  }
  const poll = async (): Promise<void> => {
    await world.call(emulator, `/preview/training-jobs/${id}`)
    await world.call(emulator, `/preview/training-jobs/${id}/events`)
  }
  const often = async (run: () => Promise<void>): Promise<void> => {
    for (let time = 0; time < TIMES; time++) await run()
  }
  return [
    { name: `create, ${jobs}`, run: create, leave: () => often(remove) },
    { name: `poll, ${jobs}`, run: poll },
    { name: `delete a model, ${jobs}`, prepare: () => often(create), run: remove },
  ]
}

async function lateness(settings: Settings): Promise<Table> {
  const table: Table = {
    title: 'Jobs in real time, an event a second each',
    columns: ['events', 'of a core', 'late, median', 'late, p99'],
    rows: [],
    notes: ['Late: from the moment an event was due to the moment it happened.'],
  }
  for (const jobs of world.sizesFor(settings, SIZES.slice(1))) {
    const { rate, share, late } = await runInRealTime(jobs, settings.quick ? 2 : 10)
    const figures = [
      figureOf([rate], '/s'),
      figureOf([share * 100], '%'),
      figureOf([quantile(late, 0.5)], 'ms'),
      figureOf([quantile(late, 0.99)], 'ms'),
    ]
    table.rows.push({ name: world.countOf(jobs, 'job'), figures })
  }
  return table
}

async function runInRealTime(
  jobs: number,
  seconds: number,
): Promise<{ rate: number; share: number; late: number[] }> {
  const emulator = world.runningWorld(100_000, { clock: 'real' })
  for (let job = 0; job < jobs; job++) {
    await world.createJob(emulator, await world.createModel(emulator, `model-${job}`))
  }
  await new Promise((resolve) => void setTimeout(resolve, 2000))
  const late: number[] = []
  const stop = emulator.journal.subscribe(({ kind, at }) => {
    if (kind === 'job') late.push(performance.timeOrigin + performance.now() - at)
  })
  const before = process.cpuUsage()
  const start = performance.now()
  await new Promise((resolve) => void setTimeout(resolve, seconds * 1000))
  stop()
  const took = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  await emulator.close()
  return { rate: late.length / (took / 1000), share: (user + system) / 1000 / took, late }
}

/** What calls cost while many jobs run, and how late their events are in real time. */
import { costOf, type Row } from './cost.js'
import * as world from './scale-world.js'
import type { Settings } from './settings.js'
import { quantile } from './statistics.js'
import { figureOf, type Table } from './table.js'

const SIZES = [1, 100, 1000, 10_000]

export async function scaleOfJobs(settings: Settings): Promise<Table[]> {
  return [await costOfCalls(settings), await lateness(settings)]
}

async function costOfCalls(settings: Settings): Promise<Table> {
  const rows: Row[] = []
  for (const jobs of world.sizesFor(settings, SIZES)) {
    const emulator = world.runningWorld(100_000, { clock: 'manual' })
    for (let job = 0; job < jobs; job++) {
      await world.createJob(emulator, await world.createModel(emulator, `model-${job}`))
    }
    emulator.clock.advance('5s')
    let made = 0
    // The model goes again, so that as many run in the end as in the beginning.
    const run = async (): Promise<void> => {
      const model = await world.createModel(emulator, `made-${made++}`)
      const job = await world.createJob(emulator, model)
      await world.call(emulator, `/preview/training-jobs/${job}`)
      await world.call(emulator, `/preview/training-jobs/${job}/events`)
      await world.call(emulator, `/preview/models/${model}`, { method: 'DELETE' })
    }
    rows.push({ name: world.countOf(jobs, 'job'), run })
  }
  const costs = await costOf(rows, { rounds: settings.rounds * 2, times: 30 })
  const figures = world.besideFirst([...costs.values()], 'µs')
  return {
    title: 'Jobs that run at once',
    columns: ['create, poll, delete'],
    rows: rows.map(({ name }, index) => ({ name, figures: [figures[index]] })),
    notes: [
      'In process, microseconds of processor time for five calls: create a model and a job, read the job and its events, delete the model; beside the first row.',
    ],
  }
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
      figureOf([share], ''),
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

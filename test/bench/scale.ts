/** Measures how costs grow with the size of the world. Each row is compared with the smallest. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, defaultWebhooks, type Emulator } from '../../src/index.js'
import { apiClient, type ApiClient } from '../support/api-client.js'
import { createModel, startJob } from '../support/trainer.js'
import { WrongAnswerError } from './calls.js'
import { untilFirstAnswer, type Started } from './contestants.js'
import { emulatorAt } from './server-process.js'
import type { Settings } from './settings.js'
import { tableOf, type Table } from './table.js'
import { costsOf, type Operation } from './turns.js'

export async function scale(settings: Settings): Promise<Table[]> {
  return [
    await scaleOfEvents(settings),
    await scaleOfJobs(settings),
    await scaleOfFolders(settings),
  ]
}

const PAGE = 10
/** So many jobs fill caches and the limited journal before memory is measured. */
const FILLING = 10_000
const CREATED = 2000

async function scaleOfEvents(settings: Settings): Promise<Table> {
  const rows = []
  for (const steps of sizesFor(settings, [10, 1000, 100_000, 1_000_000])) {
    rows.push({ name: countOf(steps, 'step'), ...(await jobOf(steps)) })
  }
  const operations = rows.flatMap(({ first, last }) => [first, last])
  const costs = await costsOf(operations, { rounds: settings.rounds * 3, times: 200 })
  return tableOf(
    'Events of a job',
    rows,
    [
      { name: 'first page', unit: 'µs', valuesOf: ({ first }) => costs.get(first) },
      { name: 'last page', unit: 'µs', valuesOf: ({ last }) => costs.get(last) },
      { name: 'a job, when created', unit: 'bytes', valuesOf: ({ created }) => [created] },
    ],
    {
      notes: [
        `In process, microseconds of processor time for a page of ${PAGE} events, and bytes of the heap; beside the first row.`,
      ],
    },
  )
}

/** The pages of a job with so many steps, and the memory of one that is created. */
async function jobOf(
  steps: number,
): Promise<{ first: Operation; last: Operation; created: number }> {
  const emulator = runningWorld(steps)
  const api = uncheckedClient(emulator)
  const { id: model } = await createModel(api)
  const create = async (jobs: number): Promise<void> => {
    for (let job = 0; job < jobs; job++) await startJob(api, model, [])
  }
  const id = await startJob(api, model, [])
  await create(FILLING)
  const before = heap()
  await create(CREATED)
  const created = (heap() - before) / CREATED
  emulator.clock.advance((steps + 2) * 1000)
  const page = async (query: string): Promise<void> => {
    const { body } = await api.get(`/preview/training-jobs/${id}/events?limit=${PAGE}${query}`)
    if (body.data.length !== PAGE)
      throw new WrongAnswerError(`A page of ${body.data.length} events`)
  }
  const cursor = emulator.job(id).events.at(-PAGE - 1)!.id
  return {
    first: { run: () => page('') },
    last: { run: () => page(`&after=${cursor}`) },
    created,
  }
}

const TIMES = 30

async function scaleOfJobs(settings: Settings): Promise<Table> {
  const rows = []
  for (const jobs of sizesFor(settings, [1, 100, 1000, 10_000])) {
    rows.push({ name: countOf(jobs, 'job'), ...(await callsBeside(jobs)) })
  }
  const operations = rows.flatMap(({ create, poll }) => [create, poll])
  const costs = await costsOf(operations, { rounds: settings.rounds * 2, times: TIMES })
  return tableOf(
    'Jobs that run at once',
    rows,
    [
      { name: 'create', unit: 'µs', valuesOf: ({ create }) => costs.get(create) },
      { name: 'poll', unit: 'µs', valuesOf: ({ poll }) => costs.get(poll) },
    ],
    {
      notes: [
        'In process, microseconds of processor time, beside the first row. Create: a model and a job on it, two calls. Poll: a job, and its events, two calls.',
      ],
    },
  )
}

/** Calls in a world where so many jobs run. They delete what they create. */
async function callsBeside(jobs: number): Promise<{ create: Operation; poll: Operation }> {
  const emulator = runningWorld(100_000)
  const api = uncheckedClient(emulator)
  const models: string[] = []
  let made = 0
  const create = async (): Promise<string> => {
    const { id } = await createModel(api, `model-${made++}`)
    models.push(id)
    return startJob(api, id, [])
  }
  let id = ''
  for (let job = 0; job < jobs; job++) id = await create()
  emulator.clock.advance('5s')
  models.length = 0
  return {
    create: {
      run: create,
      leave: async () => {
        for (const model of models.splice(0)) await api.delete(`/preview/models/${model}`)
      },
    },
    poll: {
      run: async () => {
        await api.get(`/preview/training-jobs/${id}`)
        await api.get(`/preview/training-jobs/${id}/events`)
      },
    },
  }
}

/** Each world has 50 models, 5 webhooks for each job, and the latest 20,000 deliveries. */
const MODELS = 50

async function scaleOfFolders(settings: Settings): Promise<Table> {
  const rows = []
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-bench-folders-'))
  try {
    for (const jobs of sizesFor(settings, [1000, 10_000, 100_000])) {
      const data = join(folder, String(jobs))
      await writeLargeWorld(data, jobs)
      const rounds = []
      for (let round = 0; round < Math.min(settings.rounds, 5); round++) {
        rounds.push(await startFrom(data, join(folder, 'copy')))
      }
      rows.push({ name: countOf(jobs, 'job'), rounds })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return tableOf(
    'Start from a data folder',
    rows,
    [
      { name: 'start', unit: 'ms', valuesOf: ({ rounds }) => rounds.map(({ took }) => took) },
      {
        name: 'processor time',
        unit: 'ms',
        valuesOf: ({ rounds }) => rounds.map(({ used }) => used),
      },
      {
        name: 'memory',
        unit: 'MB',
        valuesOf: ({ rounds }) => rounds.map(({ resident }) => resident / 1e6),
      },
    ],
    {
      notes: ['From the start of the process to its first answer. Memory: resident, after that.'],
      besideOf: () => undefined,
    },
  )
}

/** Fills a folder: jobs that ended with a checkpoint, one job of each model that still runs, and deliveries. */
async function writeLargeWorld(data: string, jobs: number): Promise<void> {
  const parts = defaultWebhooks({ url: 'http://receiver.test/hook', secret: 'a secret' })
  const scenario = { name: 'large', ...parts }
  const send = () => Promise.resolve({ status: 200, body: 'ok' })
  await using emulator = createEmulator({ data, scenario, clock: 'manual', send })
  await emulator.ready()
  const names = Array.from({ length: MODELS }, (_, index) => `model-${index}`)
  for (const name of names) await emulator.models.create({ name })
  for (let made = 0; made < jobs; made += MODELS) {
    emulator.clock.advance('1h')
    for (const model of names) await emulator.jobs.start({ model })
    await emulator.webhooks.idle()
  }
  emulator.clock.advance('2s')
  await emulator.webhooks.idle()
}

/** Starts from a copy, because each start changes the folder. */
function startFrom(data: string, copy: string): Promise<Started> {
  rmSync(copy, { recursive: true, force: true })
  cpSync(data, copy, { recursive: true })
  const args = (port: number): string[] => emulatorAt(port, [`--data=${copy}`])
  return untilFirstAnswer({ args, first: '/v1/health' })
}

/** Creates a world whose jobs take one step per second, `steps` times. */
function runningWorld(steps: number): Emulator {
  const timeline = [
    { event: 'training_started' as const },
    { event: 'gradient_step' as const, every: '1s', count: steps },
    { event: 'training_ended' as const },
  ]
  return createEmulator({ clock: 'manual', scenario: { name: 'bench', jobs: [{ timeline }] } })
}

/** A client that does not compare answers with their schemas, because that would be measured, too. */
function uncheckedClient({ trainingUrl, inferenceUrl, apiKey, fetch }: Emulator): ApiClient {
  return apiClient({ trainingUrl, inferenceUrl, apiKey }, fetch)
}

/** The used memory in bytes, after a garbage collection. */
function heap(): number {
  if (!globalThis.gc) throw new Error('Start Node with --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

function sizesFor({ quick }: Settings, all: readonly number[]): number[] {
  return quick ? all.slice(0, -1) : [...all]
}

function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}
